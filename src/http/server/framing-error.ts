import type { IncomingMessage } from 'node:http';

/** What stands in a Host header: a name or an address, and a port (RFC 3986, section 3.2). */
const validHost = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/**
 * Tells what makes a request ambiguous that Node's parser accepts: a proxy in front may have read it in another way,
 * and may have taken one request for two (RFC 9112, sections 2.3, 3.2, 6.1 and 11.2). A missing Host is no error here:
 * nothing depends on it.
 */
export function framingError({ httpVersion, url = '', headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not spoken on this connection. Use HTTP/1.1.`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding.';
    if (coding.toLowerCase() !== 'chunked') return 'The only Transfer-Encoding that is read is chunked.';
  }
  const repeated = repeatedHeader(rawHeaders);
  if (repeated) return `The header ${repeated} was sent twice.`;
  const host = headers.host ?? '';
  if (!validHost.test(host)) return 'The Host header is not valid.';
  if (!url.startsWith('/') && host !== '' && namesAnotherHost(url, host)) return 'The address names another host than the Host header.';
  return undefined;
}

/** @returns a header that Node would have taken from its first line, and another server perhaps from its last */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let [hosts, types, authorizations] = [0, 0, 0];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // Comparing lengths first keeps most names from being copied.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
  }
  if (hosts > 1) return 'Host';
  if (types > 1) return 'Content-Type';
  return authorizations > 1 ? 'Authorization' : undefined;
}

/** @param url a request target that is not in origin-form */
function namesAnotherHost(url: string, host: string): boolean {
  const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  return authority !== undefined && authority.toLowerCase() !== host.toLowerCase();
}
