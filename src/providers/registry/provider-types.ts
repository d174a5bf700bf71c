import type { ProviderType } from '../../config/provider-type.js';
import { aiSdkType } from '../ai-sdk/ai-sdk.type.js';
import { anthropicType } from '../anthropic/anthropic.type.js';
import { bedrockType } from '../bedrock/bedrock.type.js';
import { cohereType } from '../cohere/cohere.type.js';
import { geminiType } from '../gemini/gemini.type.js';
import { ollamaType } from '../ollama/ollama.type.js';
import { presets } from '../openai-compatible/presets.js';
import { vertexType } from '../vertex/vertex.type.js';

/**
 * The types of providers as the configuration knows them: addresses, and the variables of the environment that switch
 * one on. They are data, so that the command line need not load the providers. Modules of the configuration bring
 * further types.
 */
export const providerTypes: readonly ProviderType[] = [
  aiSdkType,
  anthropicType,
  bedrockType,
  cohereType,
  geminiType,
  ollamaType,
  vertexType,
  ...presets,
];
