import { IconBraces, IconPhoto, IconTextCaption, IconTool, IconVector, type Icon } from '@tabler/icons-react';
import type { Model } from '../../api/models';
import { duration, perMillion } from '../../ui/numbers';
import type { Capability } from './models.api';

export const capabilities: readonly { id: Capability; label: string; icon: Icon }[] = [
  { id: 'function_calling', label: 'Tools', icon: IconTool },
  { id: 'vision', label: 'Images', icon: IconPhoto },
  { id: 'json_mode', label: 'JSON', icon: IconBraces },
  { id: 'completion', label: 'Completions', icon: IconTextCaption },
  { id: 'embeddings', label: 'Embeddings', icon: IconVector },
];

export const capabilitiesOf = (model: Model) => capabilities.filter(({ id }) => model.capabilities[id]);

/** Tokens, as people name the size of a context. */
export function size(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}K` : String(tokens);
}

/** What a million tokens that it is asked with cost; a dash where it has no price. */
export const promptPrice = ({ priced, pricing }: Model): string => (priced ? perMillion(pricing.prompt) : '–');

/** What a million tokens of its answers cost; of a model that generates nothing there is no such price. */
export const completionPrice = ({ capabilities: { chat, completion }, priced, pricing }: Model): string =>
  priced && (chat || completion) ? perMillion(pricing.completion) : '–';

export const firstToken = ({ first_token_ms }: Model): string => (first_token_ms === null ? '–' : duration(first_token_ms));

/** Of streamed answers. */
export const speed = ({ first_token_ms, performance: { avg_tokens_per_second } }: Model): string =>
  first_token_ms !== null && avg_tokens_per_second > 0 ? avg_tokens_per_second.toLocaleString('en', { maximumFractionDigits: 0 }) : '–';

/** A dash where it was not called for a day: the gateway counts what was never called as served. */
export const uptime = ({ history, performance: { uptime_percentage } }: Model): string =>
  history.length === 0 ? '–' : `${uptime_percentage.toLocaleString('en', { maximumFractionDigits: 2 })}%`;
