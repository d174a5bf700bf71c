import { Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AnthropicModule } from './anthropic/anthropic.module.js';
import { GeminiModule } from './gemini/gemini.module.js';
import { OpenAICompatibleModule } from './openai-compatible/openai-compatible.module.js';
import { ProviderRegistry } from './provider-registry.js';
import { SandboxModule } from './sandbox/sandbox.module.js';

/** The modules of all built-in providers. Addresses in the configuration need no module. */
const providerModules: Type[] = [AnthropicModule, GeminiModule, OpenAICompatibleModule, SandboxModule];

@Module({ imports: [DiscoveryModule, ...providerModules], providers: [ProviderRegistry], exports: [ProviderRegistry] })
export class ProvidersModule {}
