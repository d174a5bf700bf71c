import type { StarterAccount } from '../billing/first-start.js';
import { formatCredits } from '../common/prices/credits.js';
import { signInPage } from '../people/dashboard-address.js';
import type { Listening } from './workers/messages.js';

/**
 * What a start prints on standard output.
 * @param starter what the very first start has made; its keys are shown here only
 */
export function startupBanner({ address, adminAddress, pages, nobody, providers }: Listening, starter?: StarterAccount): string {
  const listening = [
    `Switchyard is listening on ${address}`,
    ...(adminAddress === undefined ? [] : [`Administration: ${adminAddress}`]),
    `Dashboard: ${pages}/dashboard`,
    `Docs: ${address.replace(/v1$/, 'docs')}`,
    `Providers: ${providers.join(', ') || 'none'}`,
    ...(nobody
      ? ['Nobody can sign in yet. A link for the first operator: npx --no-install switchyard people invite EMAIL --operator']
      : []),
  ].join('\n');
  if (!starter) return listening;
  const credits = formatCredits(starter.credits);
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Tell me about the weather.' }] });
  return `${listening}

This is the first start. These keys and the link are shown once and stored as digests only:

  account   ${starter.account.name} (${starter.account.id})
  credits   ${credits} live, ${credits} test
  live key  ${starter.liveKey}
  test key  ${starter.testKey}
  sign in   ${signInPage(pages, starter.owner.token)}

Try it:

curl ${address}/chat/completions -H 'Authorization: Bearer ${starter.testKey}' -H 'Content-Type: application/json' -d '${body}'
`;
}
