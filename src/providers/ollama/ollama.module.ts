import { Module } from '@nestjs/common';
import { ProtocolsModule } from '../protocols/protocols.module.js';
import { OllamaFactory } from './ollama.factory.js';

@Module({ imports: [ProtocolsModule], providers: [OllamaFactory] })
export class OllamaModule {}
