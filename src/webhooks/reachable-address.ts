import { isInternalAddress, isRefusedAddress } from '../common/addresses/refused-addresses.js';
import type { Config } from '../config/config.schema.js';

const MAX_URL = 2_048;

/** What messages may be sent to. */
export type Reach = Pick<Config['webhooks'], 'allow_private_addresses' | 'allow_http'>;

/** Whether no message goes to this address; link-local addresses and metadata services are refused in any case. */
export function refuses({ allow_private_addresses }: Reach): (address: string) => boolean {
  return allow_private_addresses ? isRefusedAddress : isInternalAddress;
}

/**
 * Checks what can be known of an address before its name is resolved, which happens for each message.
 * @returns the URL as it will be called
 * @throws RangeError
 */
export function reachableUrl(text: string, reach: Reach): URL {
  const url = text.length <= MAX_URL ? URL.parse(text) : null;
  if (!url) throw new RangeError(`a webhook’s address is a URL of at most ${MAX_URL} characters`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && reach.allow_http))
    throw new RangeError('a webhook’s address begins with https://');
  if (url.username !== '' || url.password !== '') throw new RangeError('a webhook’s address has no user and password');
  if (refuses(reach)(url.hostname)) throw new RangeError('a webhook’s address must not be private');
  url.hash = '';
  return url;
}
