import type { StarterAccount } from '../billing/first-start.js';
import { formatCredits } from '../common/credits.js';
import { signInPage } from '../people/dashboard-address.js';
import type { Listening } from './workers/messages.js';

/**
 * What a start prints on standard output.
 * @param starter what the very first start has made; its keys are shown here only
 * @param pages where the configuration says that the dashboard is; absent: where the administration listens
 */
export function startupBanner({ address, adminAddress, providers }: Listening, starter?: StarterAccount, pages?: string): string {
  const administration = adminAddress === undefined ? '' : `\nAdministration: ${adminAddress}`;
  const listening = `Switchyard is listening on ${address}${administration}\nProviders: ${providers.join(', ') || 'none'}`;
  if (!starter) return listening;
  const credits = formatCredits(starter.credits);
  const origin = pages ?? (adminAddress ?? address).replace(/\/(admin\/)?v1$/, '');
  const body = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Tell me about the weather.' }] });
  return `${listening}

This is the first start. These keys and the link are shown once and stored as digests only:

  account   ${starter.account.name} (${starter.account.id})
  credits   ${credits} live, ${credits} test
  live key  ${starter.liveKey}
  test key  ${starter.testKey}
  sign in   ${signInPage(origin, starter.owner.token)}

Try it:

curl ${address}/chat/completions -H 'Authorization: Bearer ${starter.testKey}' -H 'Content-Type: application/json' -d '${body}'
`;
}
