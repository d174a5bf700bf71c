import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Link-local addresses and the metadata services of clouds: somebody who may name the host of a provider must not read
 * the credentials of this machine through it. IPv4 addresses that are written as IPv6 (`::ffff:169.254.169.254`) are
 * recognised too.
 */
const refused = new BlockList();
refused.addSubnet('169.254.0.0', 16, 'ipv4');
refused.addSubnet('fe80::', 10, 'ipv6');
refused.addAddress('fd00:ec2::254', 'ipv6'); // Amazon
refused.addAddress('fd20:ce::254', 'ipv6'); // Google
refused.addAddress('100.100.100.200', 'ipv4'); // Alibaba
refused.addAddress('168.63.129.16', 'ipv4'); // Azure

/** @returns false also for a host name, which is checked by the addresses that it resolves to */
export function isRefusedAddress(host: string): boolean {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(address) !== 0 && refused.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

export function refusedAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} is a link-local or metadata address`), { code: 'ERR_REFUSED_ADDRESS' });
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** `dns.lookup` that fails if any address of the name is refused. */
export function guardedLookup(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, options, (error, address, family) => {
    const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
    if (!error && addresses.some(isRefusedAddress)) callback(refusedAddress(hostname), []);
    else callback(error, address, family);
  });
}
