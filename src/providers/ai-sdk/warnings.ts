import type { SharedV3Warning, SharedV4Warning } from '@ai-sdk/provider';
import { ProviderError } from '../contract/provider-error.js';
import { type Parameter, parameters } from '../contract/parameters.js';
import { ownOf } from '../../wire/own-members.js';

/** What a package calls a parameter of the wire format. */
const names: Readonly<Record<string, Parameter | 'top_k'>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  maxOutputTokens: 'max_tokens',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stopSequences: 'stop',
  seed: 'seed',
  responseFormat: 'response_format',
  tools: 'tools',
  toolChoice: 'tool_choice',
  reasoning: 'reasoning_effort',
};

/**
 * Reports the parameters that the package has left out. It says so only after the vendor has begun to answer.
 * @throws ProviderError parameter_ignored where one changes the meaning of the answer
 */
export function reportWarnings(
  warnings: readonly (SharedV4Warning | SharedV3Warning)[] | undefined,
  dropped: (parameter: string) => void,
): void {
  for (const warning of warnings ?? []) {
    const name = warning.type === 'unsupported' ? ownOf(names, warning.feature) : undefined;
    if (name === undefined) continue;
    if (name !== 'top_k' && parameters[name].otherwise === 'refused')
      throw new ProviderError('parameter_ignored', `The provider of the model ignores the parameter '${name}'`, { parameter: name });
    dropped(name);
  }
}
