import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Config } from './config.schema.js';
import { ConfigService } from './config.service.js';

@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: ConfigService, useValue: new ConfigService(config) }],
      exports: [ConfigService],
    };
  }
}
