import { CACHE_PRICE, PRICE } from './prices.ts';

/** Facts of every model, but for those that say something else. */
const usual = {
  pricing: PRICE,
  context_length: 2_000_000,
  max_tokens: 16_384,
  capabilities: { chat: true, completion: true, function_calling: true, vision: true, json_mode: true },
};
const LARGE = { context_length: 50_000_000, max_tokens: 10_000_000 };

/** Tokens that one part counts at most. */
const CEILINGS = { image: 2_000, audio: 100_000, video: 1_000_000 };

/** Those of which each is taught its own answers. */
export const MIXED = Array.from({ length: 10 }, (_, index) => `mixed-${index}`);

/** Models that differ in nothing but what the gateway has learned of them. */
const alike = ['m', 'shared', 'mute', 'leaver', 'late', 'lies', 'dense', 'engine', ...MIXED];

const merged = (one: object, other: object): Record<string, unknown> => {
  const all: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = all[name];
    const both = typeof value === 'object' && value !== null && !Array.isArray(value) && typeof before === 'object' && before !== null;
    all[name] = both ? merged(before, value as object) : value;
  }
  return all;
};

export interface Addresses {
  /** Of the provider that plays along with the attacker. */
  readonly hostile: string;
  /** Of the bystander's own provider. */
  readonly quiet: string;
}

/** The settings of the gateway that is attacked. @param others of one attack */
export function settingsOf({ hostile, quiet }: Addresses, store: object, others: object = {}): object {
  const address = `${hostile}/v1`;
  const offered = (...names: string[]) => Object.fromEntries(names.map((name) => [name, usual]));
  const settings = {
    server: { port: 0, drain_timeout: 5_000 },
    store,
    keys: { pepper: 'a pepper of at least thirty-two characters', starter_credits: '0' },
    observability: { log_level: 'info' },
    providers: {
      hostile: {
        base_url: address,
        models: {
          ...offered(...alike),
          thinker: usual,
          vectors: { ...usual, capabilities: { embeddings: true } },
          seeing: { ...usual, input_ceilings: CEILINGS },
          large: { ...usual, ...LARGE },
          'large-m': { ...usual, ...LARGE, max_tokens: 5 },
          'large-ordinary': { ...usual, ...LARGE, max_tokens: 5 },
          small: { ...usual, max_tokens: 100, context_length: 2_000 },
        },
      },
      hurried: { base_url: address, timeouts: { first_byte: 1_000 }, models: offered('hurried') },
      leaky: { base_url: `${address}?api-key=hostile-secret-0123456789`, models: offered('leaky') },
      claude: {
        type: 'anthropic',
        base_url: address,
        api_key: 'x',
        models: { claude: usual, caching: { ...usual, pricing: { ...PRICE, ...CACHE_PRICE } } },
      },
      llamacpp: { base_url: address, models: { local: { ...usual, input_ceilings: CEILINGS } } },
      anything: { base_url: address, open: { pricing: PRICE, context_length: 2_000_000, max_tokens: 16_384 } },
      quiet: { base_url: `${quiet}/v1`, models: offered('quiet') },
    },
  };
  return merged(settings, others);
}
