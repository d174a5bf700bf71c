import type { StarterAccount } from '../billing/first-start.js';
import type { Listening } from './workers/messages.js';
import { formatCredits } from '../common/credits.js';

/** What a start tells a person on standard output; the very first one also what it has made. */
export function startupBanner({ address: baseAddress, providers }: Listening, made: StarterAccount | undefined): string {
  const listening = `Switchyard is listening on ${baseAddress}\nProviders: ${providers.join(', ') || 'none'}`;
  if (!made) return listening;
  const credits = formatCredits(made.credits);
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Tell me about the weather.' }] });
  return `${listening}

This is the first start. These keys are shown once and stored as digests only:

  account   ${made.account.name} (${made.account.id})
  credits   ${credits} live, ${credits} test
  live key  ${made.liveKey}
  test key  ${made.testKey}

Try it:

curl ${baseAddress}/chat/completions -H 'Authorization: Bearer ${made.testKey}' -H 'Content-Type: application/json' -d '${body}'
`;
}
