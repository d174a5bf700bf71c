import { Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AiSdkFactory } from '../ai-sdk/ai-sdk.factory.js';
import { AnthropicFactory } from '../anthropic/anthropic.factory.js';
import { BedrockFactory } from '../bedrock/bedrock.factory.js';
import { CohereFactory } from '../cohere/cohere.factory.js';
import { GeminiFactory } from '../gemini/gemini.factory.js';
import { ProviderServicesModule } from '../kit/provider-services.module.js';
import { OllamaFactory } from '../ollama/ollama.factory.js';
import { OpenAICompatibleFactory } from '../openai-compatible/openai-compatible.factory.js';
import { SandboxProvider } from '../sandbox/sandbox.provider.js';
import { VertexFactory } from '../vertex/vertex.factory.js';
import { ProviderRegistry } from './provider-registry.js';

/** What makes the built-in providers. Addresses in the configuration need nothing of their own. */
const builtIn: Type[] = [
  AiSdkFactory,
  AnthropicFactory,
  BedrockFactory,
  CohereFactory,
  GeminiFactory,
  OllamaFactory,
  OpenAICompatibleFactory,
  VertexFactory,
  SandboxProvider,
];

@Module({
  imports: [DiscoveryModule, ProviderServicesModule],
  providers: [ProviderRegistry, ...builtIn],
  exports: [ProviderRegistry],
})
export class ProvidersModule {}
