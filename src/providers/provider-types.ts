import type { ProviderType } from '../config/provider-type.js';
import { anthropicType } from './anthropic/anthropic.type.js';
import { geminiType } from './gemini/gemini.type.js';
import { presets } from './openai-compatible/presets.js';

/**
 * What the configuration knows of the types of providers: addresses, and variables of the environment that switch one
 * on. Data alone, so that the command line need not load the providers. Modules of the configuration bring further
 * ones.
 */
export const providerTypes: readonly ProviderType[] = [anthropicType, geminiType, ...presets];
