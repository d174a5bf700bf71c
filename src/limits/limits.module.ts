import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { LimitsService } from './limits.service.js';

@Module({
  imports: [DatabaseModule],
  providers: [LimitsService],
  exports: [LimitsService],
})
export class LimitsModule {}
