import { Module } from '@nestjs/common';
import { ModelFactsModule } from '../model-facts/model-facts.module.js';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { GeminiFactory } from './gemini.factory.js';

@Module({ imports: [ModelFactsModule, ProtocolsModule], providers: [GeminiFactory] })
export class GeminiModule {}
