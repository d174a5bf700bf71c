import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { ResponseStore } from './response-store.js';
import { ResponseSweep } from './response-sweep.js';

@Module({ imports: [AuthModule, DatabaseModule], providers: [ResponseStore, ResponseSweep], exports: [ResponseStore] })
export class ResponseStoreModule {}
