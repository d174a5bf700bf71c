import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * The proxy that the environment names for an address: HTTPS_PROXY or HTTP_PROXY by the address's scheme, unless
 * NO_PROXY lists its host (`host`, `.domain`, `host:port`, an address, a network such as 10.0.0.0/8, or `*`).
 * Lower-case spellings win. This machine itself is never called through a proxy.
 */
export function environmentProxy(address: string, env: NodeJS.ProcessEnv): { variable: string; value: string } | undefined {
  const { protocol, hostname, port } = new URL(address);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variable = [name.toLowerCase(), name].find((one) => env[one]);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (!variable || isHere(host)) return undefined;
  const exceptions = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/).filter(Boolean);
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  if (exceptions.some((exception) => covers(exception.toLowerCase(), host, effectivePort))) return undefined;
  const value = env[variable]!;
  return { variable, value: value.includes('://') ? value : `http://${value}` };
}

function isHere(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || host.startsWith('127.');
}

function covers(exception: string, host: string, port: string): boolean {
  if (exception === '*') return true;
  if (exception.includes('/')) return isIP(host) !== 0 && inNetwork(exception, host);
  const [, name = exception, only] = /^(.+?):(\d+)$/.exec(isIPv6(exception) ? '' : exception) ?? [];
  if (only !== undefined && only !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return host === bare || host.endsWith(`.${bare}`);
}

function inNetwork(network: string, host: string): boolean {
  const [base = '', bits] = network.split('/');
  const family = isIPv6(base) ? 'ipv6' : 'ipv4';
  try {
    const list = new BlockList();
    list.addSubnet(base, Number(bits), family);
    return list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  } catch {
    return false;
  }
}
