import { ProviderError } from '../contract/provider-error.js';

/** How many one answer may have at most, of tool calls one choice of it. More come only from a provider that is broken. */
const limits = {
  'tool calls': 1_024,
  'characters of arguments before a name': 65_536,
  items: 2_048,
  blocks: 10_000,
  'blocks of reasoning': 10_000,
  citations: 10_000,
};

/** @throws ProviderError limit_exceeded where an answer has more than it may */
export function requireWithin(count: number, what: keyof typeof limits): void {
  if (count > limits[what]) throw new ProviderError('limit_exceeded', `The answer has more than ${limits[what]} ${what}.`);
}
