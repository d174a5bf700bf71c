import type { Config, ProviderConfig } from './config.schema.js';
import { secretOptionsOf } from './declared-options.js';

/** Headers and query parameters whose values say nothing that a stranger must not know. */
const harmless =
  /^(accept(-.*)?|content-type|user-agent|referer|http-referer|origin|x-title|anthropic-(version|beta)|openai-beta|api-version|version|alt)$/i;

/** Names of options whose values are secrets, in whatever module. */
const secretName = /key|secret|token|pass|credential|auth|private|signature|session|cert/i;

/** A value that looks like a key, whatever its name: long, without spaces, with letters and digits. */
const keyLike = /^(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w+/=.~-]{20,}$/;

type SecretFields = Pick<ProviderConfig, 'type' | 'api_key' | 'headers' | 'base_url' | 'proxy' | 'options'>;

/**
 * What an entry of `providers` has that no client, log or record may get: its key, the values of its headers, query
 * parameters and passwords of its addresses, and options that their type marks as secrets, or that are called or look
 * like secrets.
 */
export function secretsOfProvider({ type, api_key, headers, base_url, proxy, options }: SecretFields): string[] {
  const marked = secretOptionsOf(type, options);
  const all = [api_key ?? '', ...ofHeaders(headers), ...ofAddress(base_url), ...ofAddress(proxy), ...marked, ...ofOptions(options)];
  return [...new Set(all)].filter((secret) => secret !== '');
}

/** All secrets of a configuration. */
export function secretsOf({ providers, keys, store, dashboard, observability }: Config): string[] {
  return [
    ...Object.values(providers).flatMap(secretsOfProvider),
    keys.pepper ?? '',
    observability.metrics_token ?? '',
    ...ofHeaders(observability.otlp_headers),
    ...ofAddress(observability.otlp_endpoint),
    ...ofAddress(store.database_url),
    ...dashboard.oidc.map(({ client_secret }) => client_secret ?? ''),
    ...ofAddress(dashboard.mail?.url),
  ].filter((secret) => secret !== '');
}

function ofHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (harmless.test(name) ? [] : [value.replace(/^(bearer|basic) /i, '')]));
}

function ofAddress(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address);
  if (!url) return [];
  const values = [...url.searchParams].filter(([name]) => !harmless.test(name)).map(([, value]) => value);
  // A token may stand in the place of the user; a short one is the name of a person or an account.
  const user = decoded(url.username);
  return [...values, decoded(url.password), user.length >= 12 ? user : ''];
}

function ofOptions(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return secretName.test(name) || keyLike.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => ofOptions(inner, Array.isArray(value) || secretName.test(name) ? name : key));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
