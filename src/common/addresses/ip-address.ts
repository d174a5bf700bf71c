import { isIPv4, isIPv6 } from 'node:net';

/** The host of a URL as an address: without the brackets and the zone of an IPv6 address. */
export function withoutBrackets(host: string): string {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  const zone = address.indexOf('%');
  return zone < 0 ? address : address.slice(0, zone);
}

/**
 * The IPv4 addresses that a packet to this IPv6 address may end at, because a translator or a tunnel on its way takes
 * them out of it (RFC 4291, 2765, 3056, 4380, 5214, 6052, 8215).
 * @param address without brackets and zone
 */
export function embeddedIpv4(address: string): string[] {
  const bytes = bytesOf(address);
  const startsWith = (...prefix: number[]): boolean => prefix.every((byte, index) => bytes[index] === byte);
  const v4 = (...indexes: number[]): string => indexes.map((index) => bytes[index]).join('.');
  const last = v4(12, 13, 14, 15);
  // IPv4-compatible ::/96, IPv4-mapped ::ffff:0:0/96, IPv4-translated ::ffff:0:0:0/96
  if (bytes.subarray(0, 8).every((byte) => byte === 0)) return [last];
  // NAT64's prefix for everybody, and the one for local use, in which the address has five possible places.
  if (startsWith(0, 0x64, 0xff, 0x9b, 0, 0)) return [last];
  if (startsWith(0, 0x64, 0xff, 0x9b, 0, 1)) return [last, v4(6, 7, 9, 10), v4(7, 9, 10, 11), v4(9, 10, 11, 12)];
  if (startsWith(0x20, 0x02)) return [v4(2, 3, 4, 5)]; // 6to4
  if (startsWith(0x20, 0x01, 0, 0)) return [v4(4, 5, 6, 7), [...bytes.subarray(12)].map((byte) => byte ^ 0xff).join('.')]; // Teredo
  const isatap = (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isatap ? [last] : [];
}

/**
 * @returns the four last bytes, where NAT64 with a prefix of 96 bits that only its network knows has the IPv4 address
 */
export function lastFourBytes(address: string): string {
  return bytesOf(address).subarray(12).join('.');
}

/**
 * What one client has: its IPv4 address, or the first 64 bits of its IPv6 address, of which a household or a server has
 * all.
 */
export function networkOf(address: string): string {
  const bare = withoutBrackets(address);
  if (!isIPv6(bare)) return bare;
  const bytes = bytesOf(bare);
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? lastFourBytes(bare) : bytes.subarray(0, 8).join('.');
}

/** @returns the 16 bytes of a valid IPv6 address */
function bytesOf(address: string): Uint8Array {
  if (!isIPv6(address)) throw new TypeError(`${address} is no IPv6 address`);
  const [head = '', tail] = address.split('::');
  const before = words(head);
  const after = words(tail ?? '');
  const all = tail === undefined ? before : [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

function words(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((word) => {
    if (!isIPv4(word)) return [Number.parseInt(word, 16)];
    const [a, b, c, d] = word.split('.').map(Number);
    return [(a! << 8) | b!, (c! << 8) | d!];
  });
}
