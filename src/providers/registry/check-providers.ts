import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { systemClock } from '../../common/time/clock.js';
import { ClockModule } from '../../common/time/clock.module.js';
import { waitAtMost } from '../../common/time/waits.js';
import { ConfigModule } from '../../config/config.module.js';
import type { Configuration } from './configuration.js';
import { ExternalProvidersModule } from '../modules/external-providers.module.js';
import { guardEndHooks } from '../modules/guarded-end-hooks.js';
import { listedModels } from '../contract/listed-models.js';
import type { ModelProvider, ProviderModel } from '../contract/model-provider.js';
import { nestModuleError } from '../modules/nest-module-error.js';
import { ProviderRegistry } from './provider-registry.js';
import { ProvidersModule } from './providers.module.js';

export { publicPrices } from '../model-facts/public-prices.js';

/** For providers of modules that do not heed the signal. */
const LIST_MS = 1_000;

/** A provider, and its models as far as they are known. */
export interface CheckedProvider {
  readonly provider: ModelProvider;
  readonly models: readonly ProviderModel[];
  /** false: it has to be asked for its models, and was not or has not answered. */
  readonly complete: boolean;
}

/**
 * Makes every provider as a start of the gateway would.
 * @param askMs how long providers may take that have to be asked for their models; absent: no request is sent
 * @throws StartError naming everything that is wrong with them
 */
export async function checkProviders(
  { config, modules }: Pick<Configuration, 'config' | 'modules'>,
  askMs?: number,
): Promise<CheckedProvider[]> {
  const module = {
    module: ProvidersCheck,
    imports: [ConfigModule.forRoot(config), ClockModule.forRoot(systemClock), ExternalProvidersModule.forRoot(modules), ProvidersModule],
  };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }).catch((error: unknown) => {
    throw nestModuleError(error, modules, config);
  });
  guardEndHooks(context, module);
  try {
    return await Promise.all(
      context
        .get(ProviderRegistry)
        .all()
        .map((provider) => withModels(provider, askMs)),
    );
  } finally {
    await context.close();
  }
}

/** Where nothing is to be sent the signal has aborted: a provider that has to ask for its models then rejects. */
async function withModels(provider: ModelProvider, askMs?: number): Promise<CheckedProvider> {
  let models: readonly ProviderModel[] | undefined;
  const signal = askMs === undefined ? AbortSignal.abort() : systemClock.timeout(askMs);
  const list = async () => (models = listedModels(await provider.models(signal)));
  await waitAtMost(systemClock, (askMs ?? 0) + LIST_MS, list()).catch(() => undefined);
  // An empty list may be what a module gives that was not to ask.
  const complete = models !== undefined && (models.length > 0 || askMs !== undefined);
  return { provider, models: models ?? [], complete };
}

@Module({})
class ProvidersCheck {}
