import { isInternalAddress } from '../../common/addresses/refused-addresses.js';

/** An address as every parser reads it: no user, no backslash, no white space that one removes and another keeps. */
const plain = /^https?:\/\/[^\s\\@/?#]+(?:[/?#][^\s\\]*)?$/i;

/** Names that are resolved inside of a network only. */
const internalName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa|svc)\.?$|^[^.]+\.?$/i;

/**
 * What is wrong with the address of an image, a sound, a video or a file that a provider is to fetch; undefined where
 * nothing is. Host names are not resolved: what they lead to at the provider is for its own network to guard.
 * @param internal whether addresses inside of a network may be named
 * @param ownHost the provider's own, whose files it reads with the rights of the account whose key is used
 */
export function mediaAddressProblem(
  address: string,
  internal: boolean,
  ownHost?: string,
): 'no_web_address' | 'internal' | 'account' | undefined {
  if (/^data:/i.test(address)) return undefined;
  const url = plain.test(address) ? URL.parse(address) : null;
  if (!url) return 'no_web_address';
  if (ownHost !== undefined && isAt(url, ownHost)) return 'account';
  const inside = isInternalAddress(url.hostname) || (!url.hostname.startsWith('[') && internalName.test(url.hostname));
  return inside && !internal ? 'internal' : undefined;
}

/** Whether an address is at a host, or at one below it. */
function isAt({ host }: URL, expected: string): boolean {
  const named = host.replace(/\.(?=:|$)/, '');
  return named === expected || named.endsWith(`.${expected}`);
}
