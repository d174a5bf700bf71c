import { IconBraces, IconPhoto, IconTextCaption, IconTool, IconVector, type Icon } from '@tabler/icons-react';
import type { Model } from '../../api/models';
import { duration, perMillion } from '../../ui/numbers';
import type { Sorting } from '../../ui/rows';

export type Capability = 'function_calling' | 'vision' | 'json_mode' | 'completion' | 'embeddings';

export const capabilities: readonly { id: Capability; label: string; icon: Icon }[] = [
  { id: 'function_calling', label: 'Tools', icon: IconTool },
  { id: 'vision', label: 'Images', icon: IconPhoto },
  { id: 'json_mode', label: 'JSON', icon: IconBraces },
  { id: 'completion', label: 'Completions', icon: IconTextCaption },
  { id: 'embeddings', label: 'Embeddings', icon: IconVector },
];

export const capabilitiesOf = (model: Model) => capabilities.filter(({ id }) => model.capabilities[id]);

export type SortedBy = 'id' | 'context' | 'prompt' | 'completion' | 'latency' | 'speed' | 'uptime';

/** What models are sorted by; undefined comes last, in either direction. */
const valueOf: Record<SortedBy, (model: Model) => number | string | undefined> = {
  id: ({ id }) => id,
  context: ({ context_length }) => context_length,
  prompt: ({ priced, pricing }) => (priced ? pricing.prompt : undefined),
  completion: ({ priced, pricing }) => (priced ? pricing.completion : undefined),
  latency: ({ first_token_ms }) => first_token_ms ?? undefined,
  speed: ({ performance }) => performance.avg_tokens_per_second || undefined,
  uptime: ({ performance }) => performance.uptime_percentage,
};

export interface Wanted {
  readonly search: string;
  readonly provider: string | null;
  readonly capabilities: readonly string[];
  readonly active: boolean;
}

/** The models that are wanted, in the wanted order. */
export function chosenFrom(models: readonly Model[], wanted: Wanted, { column, descending }: Sorting<SortedBy>): Model[] {
  const search = wanted.search.trim().toLowerCase();
  const value = valueOf[column];
  const sign = descending ? -1 : 1;
  return models
    .filter(({ id, owned_by }) => `${id} ${owned_by}`.toLowerCase().includes(search))
    .filter(({ providers }) => wanted.provider === null || providers.includes(wanted.provider))
    .filter((model) => wanted.capabilities.every((id) => model.capabilities[id as Capability]))
    .filter(({ status }) => !wanted.active || status.active)
    .sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a === b) return one.id < other.id ? -1 : 1;
      if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
      return a < b ? -sign : sign;
    });
}

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

export const uptime = ({ performance: { uptime_percentage } }: Model): string =>
  `${uptime_percentage.toLocaleString('en', { maximumFractionDigits: 2 })}%`;
