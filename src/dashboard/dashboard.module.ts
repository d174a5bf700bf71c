import { Module } from '@nestjs/common';
import { DashboardController } from './dashboard.controller.js';

/** The page for operators and members of accounts. */
@Module({ controllers: [DashboardController] })
export class DashboardModule {}
