import type { ProviderType } from '../config/provider-type.js';
import { anthropicType } from './anthropic/anthropic.type.js';
import { geminiType } from './gemini/gemini.type.js';
import { presets } from './openai-compatible/presets.js';

/**
 * The types of providers as the configuration knows them: addresses, and the variables of the environment that switch
 * one on. They are data, so that the command line need not load the providers. Modules of the configuration bring
 * further types.
 */
export const providerTypes: readonly ProviderType[] = [anthropicType, geminiType, ...presets];
