import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ChatModule } from '../chat/chat.module.js';
import { CompletionsModule } from '../completions/completions.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { InferenceModule } from '../inference/inference.module.js';
import { RoutingModule } from '../inference/routing/routing.module.js';
import { RequestHistoryModule } from '../observability/request-history.module.js';
import { ProviderStoreModule } from '../provider-store/provider-store.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { ConfigurationController } from './configuration/configuration.controller.js';
import { BalanceAlertController } from './credits/balance-alert.controller.js';
import { BalanceAlertService } from './credits/balance-alert.service.js';
import { CreditsController } from './credits/credits.controller.js';
import { ErrorsController } from './errors/errors.controller.js';
import { GatewaysController } from './gateways/gateways.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { LedgerController } from './ledger/ledger.controller.js';
import { MeController } from './me/me.controller.js';
import { AccountModelsController } from './models/account-models.controller.js';
import { AccountModels } from './models/account-models.service.js';
import { ModelSwitchesController } from './models/model-switches.controller.js';
import { OperatorModelsController } from './models/operator-models.controller.js';
import { ModelsService } from './models/models.service.js';
import { OffersController } from './offers/offers.controller.js';
import { OnceService } from './once.service.js';
import { PlaygroundController } from './playground/playground.controller.js';
import { PricesController } from './prices/prices.controller.js';
import { ProviderChanges } from './providers/provider-changes.js';
import { ProviderList } from './providers/provider-list.js';
import { ProviderTrials } from './providers/provider-trials.js';
import { ProviderTypesController } from './providers/provider-types.controller.js';
import { ProvidersController } from './providers/providers.controller.js';
import { ProjectsController } from './projects/projects.controller.js';
import { AccountRequestsController } from './requests/account-requests.controller.js';
import { RequestExportsController } from './requests/request-exports.controller.js';
import { RequestExports } from './requests/request-exports.service.js';
import { RequestsController } from './requests/requests.controller.js';
import { RoutingController } from './routing/routing.controller.js';
import { StatementsController } from './statements/statements.controller.js';
import { StatementsService } from './statements/statements.service.js';
import { OpenInvitationsController } from './members/open-invitations.controller.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { InvitationsController } from './session/invitations.controller.js';
import { OidcController } from './session/oidc.controller.js';
import { OpenSessionsController } from './session/open-sessions.controller.js';
import { SessionController } from './session/session.controller.js';
import { services } from './services.js';
import { SignInOptionsController } from './session/sign-in-options.controller.js';
import { TokensController } from './tokens/tokens.controller.js';
import { UsageSeriesController } from './usage/usage-series.controller.js';
import { OperatorsController } from './users/operators.controller.js';
import { UsersController } from './users/users.controller.js';
import { UserLinksService } from './users/user-links.service.js';
import { UsageController } from './usage/usage.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** The administration API: one folder for each resource. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    CatalogueModule,
    DatabaseModule,
    ProviderStoreModule,
    ChatModule,
    CompletionsModule,
    InferenceModule,
    RequestHistoryModule,
    RoutingModule,
    WebhooksModule,
  ],
  controllers: [
    MeController,
    SignInOptionsController,
    SessionController,
    OpenSessionsController,
    OidcController,
    InvitationsController,
    MembersController,
    OpenInvitationsController,
    UsersController,
    OperatorsController,
    AccountsController,
    ProjectsController,
    KeysController,
    LedgerController,
    TokensController,
    CreditsController,
    BalanceAlertController,
    StatementsController,
    UsageController,
    UsageSeriesController,
    AccountRequestsController,
    RequestExportsController,
    RequestsController,
    AuditController,
    WebhooksController,
    ConfigurationController,
    OperatorModelsController,
    AccountModelsController,
    ModelSwitchesController,
    OffersController,
    RoutingController,
    GatewaysController,
    ErrorsController,
    PricesController,
    ProvidersController,
    ProviderTypesController,
    PlaygroundController,
  ],
  providers: [
    ...Object.values(services),
    MembersService,
    UserLinksService,
    OnceService,
    BalanceAlertService,
    StatementsService,
    RequestExports,
    ModelsService,
    AccountModels,
    ProviderList,
    ProviderChanges,
    ProviderTrials,
  ],
})
export class AdminModule {}
