import { Module } from '@nestjs/common';
import { ModelFactsModule } from '../model-facts/model-facts.module.js';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { AnthropicFactory } from './anthropic.factory.js';

@Module({ imports: [ModelFactsModule, ProtocolsModule], providers: [AnthropicFactory] })
export class AnthropicModule {}
