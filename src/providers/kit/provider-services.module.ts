import { Module } from '@nestjs/common';
import { ModelFactsModule } from '../model-facts/model-facts.module.js';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { SharedServices } from './provider-services.js';

/** What providers use. Modules of Nest import it to inject the protocols, the transport and the facts. */
@Module({
  imports: [ModelFactsModule, ProtocolsModule],
  providers: [SharedServices],
  exports: [ModelFactsModule, ProtocolsModule, SharedServices],
})
export class ProviderServicesModule {}
