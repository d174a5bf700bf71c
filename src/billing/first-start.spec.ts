import { NestFactory } from '@nestjs/core';
import { Global, Logger, Module } from '@nestjs/common';
import { ApiKeyService } from '../auth/api-key.service.js';
import { AuthModule } from '../auth/auth.module.js';
import { OpenRequestsModule } from '../auth/testing/open-requests.module.js';
import { systemClock } from '../common/clock.js';
import { ClockModule } from '../common/clock.module.js';
import { DeliveryBarrier } from '../common/delivery-barrier.js';
import { ConfigModule } from '../config/config.module.js';
import { TemporaryStore } from '../database/testing/temporary-store.js';
import { Metrics } from '../observability/metrics.js';
import { BillingModule } from './billing.module.js';
import { CreditStore } from './credit-store.js';
import { FirstStart } from './first-start.js';
import { Ledger } from './hold/ledger.js';
import { request } from './testing/ledger-bench.js';
import { metricsWithoutRequests } from './testing/metrics-without-requests.js';
import { NoDelivery } from './testing/no-delivery.js';
import { PeopleModule } from '../people/people.module.js';

@Global()
@Module({
  providers: [
    { provide: Metrics, useFactory: metricsWithoutRequests },
    { provide: DeliveryBarrier, useClass: NoDelivery },
  ],
  exports: [Metrics, DeliveryBarrier],
})
class SurroundingsModule {}

describe('the first start', () => {
  const store = new TemporaryStore();
  afterAll(() => store.remove());

  const start = async () => {
    Logger.overrideLogger(false);
    @Module({
      imports: [
        ConfigModule.forRoot(store.config),
        ClockModule.forRoot(systemClock),
        SurroundingsModule,
        OpenRequestsModule,
        AuthModule,
        PeopleModule,
        BillingModule,
      ],
    })
    class GatewayModule {}
    return NestFactory.createApplicationContext(GatewayModule, { logger: false });
  };

  it('makes an account with credits and a working key of each kind, once', async () => {
    const first = await start();
    const starter = await first.get(FirstStart).seed();
    expect(starter).toMatchObject({ account: { name: 'starter' }, credits: 10_000_000_000n });
    for (const [environment, key] of [
      ['live', starter!.liveKey],
      ['test', starter!.testKey],
    ] as const) {
      expect(key).toMatch(new RegExp(`^sy-${environment}-[0-9A-Za-z]{32}$`));
      const principal = first.get(ApiKeyService).authenticate(`Bearer ${key}`);
      expect(principal).toMatchObject({ accountId: starter!.account.id, environment });
      await first.get(Ledger).hold(request(principal));
    }
    expect(await first.get(CreditStore).balances(starter!.account.id)).toMatchObject([
      { posted: starter!.credits },
      { posted: starter!.credits },
    ]);
    await first.close();

    const second = await start();
    expect(await second.get(FirstStart).seed()).toBeUndefined();
    expect(second.get(ApiKeyService).authenticate(`Bearer ${starter!.liveKey}`).accountId).toBe(starter!.account.id);
    await second.close();
  });
});
