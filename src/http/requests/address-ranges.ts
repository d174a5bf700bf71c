import { BlockList, isIP } from 'node:net';

/** Whether a text is an address, or a range of addresses in CIDR notation (RFC 4632). */
export function isAddressRange(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128);
}

/**
 * @returns a function that says whether an address is in one of the ranges; an IPv4 address in an IPv6 one counts as
 * itself
 * @param remember how many of the latest answers
 */
export function inRanges(ranges: readonly string[], remember: number): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits ?? (isIP(address) === 6 ? 128 : 32)), familyOf(address));
  }
  return remembered((address) => isIP(address) !== 0 && list.check(address, familyOf(address)), remember);
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * @param test depends on its text alone
 * @param most answers that are remembered: clients come from any address
 * @returns the same test, which looks only once at each of the texts that it is asked about lately
 */
function remembered(test: (text: string) => boolean, most: number): (text: string) => boolean {
  const answers = new Map<string, boolean>();
  return (text) => {
    let answer = answers.get(text);
    if (answer === undefined) {
      answer = test(text);
      if (answers.size >= most) answers.clear();
      answers.set(text, answer);
    }
    return answer;
  };
}
