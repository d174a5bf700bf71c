import { ProviderError } from './provider-error.js';

/** How many one answer may have at most. More come only from a provider that is broken. */
const limits = { items: 10_000 };

/** @throws ProviderError limit_exceeded where an answer has more than it may */
export function requireWithin(count: number, what: keyof typeof limits): void {
  if (count > limits[what]) throw new ProviderError('limit_exceeded', `The answer has more than ${limits[what]} ${what}.`);
}
