import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule } from '../config/config.module.js';
import type { Configuration } from './configuration.js';
import { ExternalProvidersModule } from './external-providers.module.js';
import { ProvidersModule } from './providers.module.js';

/**
 * Makes every provider as a start of the gateway would, without a request to any of them.
 * @throws StartError naming everything that is wrong with them
 */
export async function checkProviders({ config, modules }: Pick<Configuration, 'config' | 'modules'>): Promise<void> {
  const module = {
    module: ProvidersCheck,
    imports: [ConfigModule.forRoot(config), ExternalProvidersModule.forRoot(modules), ProvidersModule],
  };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  await context.close();
}

@Module({})
class ProvidersCheck {}
