import { Module } from '@nestjs/common';
import { SandboxProvider } from './sandbox.provider.js';

@Module({ providers: [SandboxProvider] })
export class SandboxModule {}
