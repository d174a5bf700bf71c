import { Module } from '@nestjs/common';
import { AboutController } from './about.controller.js';
import { HealthController } from './health.controller.js';

@Module({ controllers: [AboutController, HealthController] })
export class HealthModule {}
