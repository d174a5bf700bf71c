import type { EntrySecrets } from '../credentials/entry-secrets.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import { reportOf, type ThrownReport } from './thrown.js';

const secretsOfProviders = new WeakMap<ModelProvider, EntrySecrets>();

/** From now on `withoutSecrets` removes these from the errors of the provider, whichever code throws them. */
export function hideSecrets(provider: ModelProvider, secrets: EntrySecrets): void {
  secretsOfProviders.set(provider, secrets);
}

/** The error as clients, logs and records may have it. */
export function withoutSecrets(provider: ModelProvider, error: ProviderError): ProviderError {
  const secrets = secretsOfProviders.get(provider);
  if (!secrets) return error;
  const { kind, status, retryAfterMs, parameter, quotes, cause } = error;
  const message = secrets.redact(error.message);
  const detail = error.detail && secrets.redact(error.detail);
  if (message === error.message && detail === error.detail) return error;
  return new ProviderError(kind, message, { status, retryAfterMs, parameter, detail, quotes, cause });
}

/** What the provider has thrown, for the log. */
export function thrownBy(provider: ModelProvider, thrown: unknown): ThrownReport {
  const secrets = secretsOfProviders.get(provider);
  return reportOf(thrown, (text) => secrets?.redact(text) ?? text);
}
