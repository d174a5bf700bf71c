import type { Redactor } from '../../common/redaction/redactor.js';

const REDACTED = '[redacted]';

/** Settings that are secrets, however short. */
const secretNames: ReadonlySet<string> = new Set(['api_key', 'client_secret', 'pepper', 'metrics_token']);

/** A copy of a value of the configuration in which nothing is left of its secrets. */
export function withoutSecrets(value: unknown, secrets: readonly string[], redactor: Redactor): unknown {
  if (typeof value === 'string') return textWithout(value, secrets, redactor);
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, secrets, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => [
      name,
      secretNames.has(name) && below !== undefined ? REDACTED : withoutSecrets(below, secrets, redactor),
    ]),
  );
}

/** The redactor leaves what is too short to be found inside of words: here the whole value, or a part of an address. */
function textWithout(text: string, secrets: readonly string[], redactor: Redactor): string {
  const bare = text.replace(/^(bearer|basic) /i, '');
  if (secrets.includes(bare)) return REDACTED;
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || (url.password === '' && url.search === '')) return redactor.redact(text);
  if (url.password !== '') url.password = 'redacted';
  for (const [name, value] of url.searchParams) if (secrets.includes(value)) url.searchParams.set(name, 'redacted');
  return redactor.redact(url.href);
}
