import type { Capabilities } from '../../wire/model.js';
import { neutralExtras } from '../contract/extra-parameters.js';
import { type Parameter, spokenBy } from '../contract/parameters.js';
import type { Preset } from './preset.js';

const spoken = spokenBy('chat-completions');

/**
 * A server that does not know these parameters gives another response than was asked for, instead of refusing. The
 * preset or the operator has to name them.
 */
const unusual: readonly Parameter[] = ['suffix', 'echo'];

/** The parameters that a model of a compatible server accepts, where the server does not say. */
export function takenParameters(
  upstreamModel: string,
  { chat, function_calling, json_mode }: Capabilities,
  preset: Partial<Preset>,
  modelWithout: readonly Parameter[] = [],
): string[] {
  const { without = [], beyond = [], modelWithout: ofPreset, extras = neutralExtras } = preset;
  const refused = new Set<Parameter>([...without, ...(ofPreset?.(upstreamModel) ?? []), ...modelWithout]);
  for (const name of unusual) if (!beyond.includes(name as 'suffix' | 'echo')) refused.add(name);
  if (!chat) for (const name of ['top_logprobs', 'reasoning_effort'] as const) refused.add(name);
  if (!function_calling) for (const name of ['tools', 'tool_choice', 'parallel_tool_calls'] as const) refused.add(name);
  if (!json_mode) refused.add('response_format');
  return [...spoken.filter((name) => !refused.has(name)), ...extras];
}
