import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { embeddedIpv4, lastFourBytes, withoutBrackets } from './ip-address.js';

/**
 * Link-local addresses and the metadata services of clouds: somebody who may name the host of a provider must not read
 * the credentials of this machine through it.
 */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4'); // most clouds: 169.254.169.254 and its neighbours
linkLocal.addSubnet('fe80::', 10, 'ipv6');

const metadata = new BlockList();
for (const address of [
  '169.254.169.254',
  '169.254.170.2', // Amazon, containers
  '169.254.170.23', // Amazon, pods
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
])
  metadata.addAddress(address, 'ipv4');
metadata.addSubnet('fd00:ec2::', 32, 'ipv6'); // Amazon
metadata.addSubnet('fd20:ce::', 32, 'ipv6'); // Google
metadata.addSubnet('fd00:c1::', 32, 'ipv6'); // Oracle
metadata.addAddress('fd00:42::42', 'ipv6'); // Scaleway

/** What a client may not name either: this machine, private networks, and what is no address of one host. */
const internal = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  internal.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['fc00::', 7],
  ['fec0::', 10],
  ['ff00::', 8],
  ['100::', 64],
] as const)
  internal.addSubnet(net, bits, 'ipv6');

/**
 * Whether the address is link-local or a cloud's metadata service, also where it is an IPv4 address inside an IPv6
 * address.
 * @param host of a URL, or an address
 * @returns false also for a host name, which is checked by the addresses that it resolves to
 */
export function isRefusedAddress(host: string): boolean {
  const address = withoutBrackets(host);
  if (isIPv4(address)) return isListed(address, linkLocal, metadata);
  if (!isIPv6(address)) return false;
  return (
    isListed(address, linkLocal, metadata) ||
    isListed(lastFourBytes(address), metadata) ||
    embeddedIpv4(address).some((inner) => isListed(inner, linkLocal, metadata))
  );
}

/**
 * Whether the address is refused, or leads to this machine or a private network.
 * @param host of a URL, or an address
 * @returns false for every host name
 */
export function isInternalAddress(host: string): boolean {
  const address = withoutBrackets(host);
  if (isIP(address) === 0) return false;
  if (isRefusedAddress(address) || isListed(address, internal)) return true;
  return isIPv6(address) && embeddedIpv4(address).some((inner) => isListed(inner, internal));
}

function isListed(address: string, ...lists: readonly BlockList[]): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return lists.some((list) => list.check(address, family));
}

export function refusedAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} is an address that must not be reached`), { code: 'ERR_REFUSED_ADDRESS' });
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

/**
 * `dns.lookup` that fails if any address of the name is refused. A connection that is given it goes to one of the
 * addresses that were checked, so that a name which resolves otherwise the next time gains nothing.
 * @param resolve what resolves names
 */
export function lookupWithout(refuses: (address: string) => boolean, resolve: Lookup = lookup): Lookup {
  return (hostname, options, callback) =>
    resolve(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
      if (!error && addresses.some(refuses)) callback(refusedAddress(hostname), []);
      else callback(error, address, family);
    });
}
