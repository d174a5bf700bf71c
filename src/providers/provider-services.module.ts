import { Module } from '@nestjs/common';
import { ModelFactsModule } from './model-facts/model-facts.module.js';
import { ProtocolsModule } from './protocols/protocols.module.js';
import { ProviderServices } from './provider-services.js';

@Module({ imports: [ModelFactsModule, ProtocolsModule], providers: [ProviderServices], exports: [ProviderServices] })
export class ProviderServicesModule {}
