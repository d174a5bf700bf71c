import { Module } from '@nestjs/common';
import { ModelFactsModule } from '../model-facts/model-facts.module.js';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { BedrockFactory } from './bedrock.factory.js';

@Module({ imports: [ModelFactsModule, ProtocolsModule], providers: [BedrockFactory] })
export class BedrockModule {}
