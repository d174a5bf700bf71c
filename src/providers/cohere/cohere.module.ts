import { Module } from '@nestjs/common';
import { ProviderServicesModule } from '../kit/provider-services.module.js';
import { CohereFactory } from './cohere.factory.js';

@Module({ imports: [ProviderServicesModule], providers: [CohereFactory] })
export class CohereModule {}
