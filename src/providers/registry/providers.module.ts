import { Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AiSdkModule } from '../ai-sdk/ai-sdk.module.js';
import { AnthropicModule } from '../anthropic/anthropic.module.js';
import { BedrockModule } from '../bedrock/bedrock.module.js';
import { CohereModule } from '../cohere/cohere.module.js';
import { GeminiModule } from '../gemini/gemini.module.js';
import { OllamaModule } from '../ollama/ollama.module.js';
import { OpenAICompatibleModule } from '../openai-compatible/openai-compatible.module.js';
import { ProviderServicesModule } from '../kit/provider-services.module.js';
import { ProviderRegistry } from './provider-registry.js';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { VertexModule } from '../vertex/vertex.module.js';

/** The modules of all built-in providers. Addresses in the configuration need no module. */
const providerModules: Type[] = [
  AiSdkModule,
  AnthropicModule,
  BedrockModule,
  CohereModule,
  GeminiModule,
  OllamaModule,
  OpenAICompatibleModule,
  SandboxModule,
  VertexModule,
];

@Module({
  imports: [DiscoveryModule, ProviderServicesModule, ...providerModules],
  providers: [ProviderRegistry],
  exports: [ProviderRegistry],
})
export class ProvidersModule {}
