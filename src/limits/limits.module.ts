import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DatabaseModule } from '../database/database.module.js';
import { FreeRequestsGuard } from './free-requests.guard.js';
import { LimitsService } from './limits.service.js';

@Module({
  imports: [DatabaseModule],
  providers: [LimitsService, { provide: APP_GUARD, useClass: FreeRequestsGuard }],
  exports: [LimitsService],
})
export class LimitsModule {}
