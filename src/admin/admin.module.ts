import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { RequestHistoryModule } from '../observability/request-history.module.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { AccountsService } from './accounts/accounts.service.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysService } from './keys/keys.service.js';
import { MeController } from './me/me.controller.js';
import { OnceService } from './once.service.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectsService } from './projects/projects.service.js';

/** The administration API: one folder for each resource. */
@Module({
  imports: [AuthModule, BillingModule, DatabaseModule, RequestHistoryModule],
  controllers: [MeController, AccountsController, ProjectsController, KeysController],
  providers: [OnceService, AccountsService, ProjectsService, KeysService],
})
export class AdminModule {}
