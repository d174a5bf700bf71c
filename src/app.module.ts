import { type DynamicModule, Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BillingModule } from './billing/billing.module.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { ChatModule } from './chat/chat.module.js';
import type { Clock } from './common/time/clock.js';
import { ClockModule } from './common/time/clock.module.js';
import { CompletionsModule } from './completions/completions.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/config.schema.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EmbeddingsModule } from './embeddings/embeddings.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { RequestGate } from './http/server/request-gate.js';
import { InferenceModule } from './inference/inference.module.js';
import { LimitsModule } from './limits/limits.module.js';
import type { Log } from './observability/log.js';
import type { MetricsPage } from './observability/metrics-page.js';
import { MessagesModule } from './messages/messages.module.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { RequestHistoryModule } from './observability/request-history.module.js';
import { ExternalProvidersModule } from './providers/modules/external-providers.module.js';
import type { LoadedModule } from './providers/kit/provider-module.js';
import { PeopleModule } from './people/people.module.js';
import { ProviderStoreModule } from './provider-store/provider-store.module.js';
import { ProvidersModule } from './providers/registry/providers.module.js';
import { ReferenceModule } from './reference/reference.module.js';
import { RerankModule } from './rerank/rerank.module.js';
import { ResponsesModule } from './responses/responses.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The modules of the gateway. */
@Module({})
export class AppModule {
  static forRoot(config: Config, log: Log, clock: Clock, modules: readonly LoadedModule[], metricsPage?: MetricsPage): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        ClockModule.forRoot(clock),
        ObservabilityModule.forRoot(log, metricsPage),
        DatabaseModule,
        RequestHistoryModule,
        HttpModule,
        ProvidersModule,
        ExternalProvidersModule.forRoot(modules),
        AuthModule,
        ProviderStoreModule,
        PeopleModule,
        CatalogueModule,
        WebhooksModule,
        BillingModule,
        LimitsModule,
        InferenceModule,
        ChatModule,
        CompletionsModule,
        MessagesModule,
        ResponsesModule,
        EmbeddingsModule,
        RerankModule,
        AdminModule,
        DashboardModule,
        HealthModule,
        ReferenceModule,
      ],
      // It belongs to neither module: it connects the HTTP server with the guards of auth.
      providers: [RequestGate],
    };
  }
}
