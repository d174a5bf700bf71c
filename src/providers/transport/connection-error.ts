import { ProviderError } from '../contract/provider-error.js';
import { ownOf } from '../../wire/own-members.js';

const timeouts: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'The provider did not accept a connection in time',
  ETIMEDOUT: 'The provider did not accept a connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'The provider did not begin to answer in time',
  UND_ERR_BODY_TIMEOUT: 'The provider fell silent in the middle of its answer',
};

/**
 * Names a failure of the connection.
 * @param answered whether the response's head had arrived, so that the failure is a broken response
 */
export function connectionError(cause: unknown, answered: boolean): ProviderError {
  const code = codeOf(cause);
  const timeout = ownOf(timeouts, code);
  if (timeout) return new ProviderError('timeout', timeout, { cause });
  if (answered) return new ProviderError('bad_response', `The provider's answer broke off (${code})`, { cause });
  if (code === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ProviderError('bad_response', `The provider did not answer in HTTP (${code})`, { cause });
  }
  return new ProviderError('unreachable', `The provider cannot be reached (${code})`, { cause });
}

function codeOf(cause: unknown): string {
  const { code, errors, name } = cause as { code?: string; errors?: { code?: string }[]; name?: string };
  // Node tries the addresses of a host in turn and wraps their failures in one error.
  return code ?? errors?.[0]?.code ?? name ?? 'unknown';
}
