import { Module } from '@nestjs/common';
import { ModelFactsModule } from '../model-facts/model-facts.module.js';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { OpenAICompatibleFactory } from './openai-compatible.factory.js';

@Module({ imports: [ModelFactsModule, ProtocolsModule], providers: [OpenAICompatibleFactory] })
export class OpenAICompatibleModule {}
