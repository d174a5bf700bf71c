import { Module } from '@nestjs/common';
import { ModelFactsModule } from '../model-facts/model-facts.module.js';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { AiSdkFactory } from './ai-sdk.factory.js';

@Module({ imports: [ModelFactsModule, ProtocolsModule], providers: [AiSdkFactory] })
export class AiSdkModule {}
