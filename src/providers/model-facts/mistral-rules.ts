import type { RequestRules } from '../contract/request-rules.js';
import { openaiNames } from './common-rules.js';

/**
 * github.com/mistralai/mistral-common: ids of calls are nine letters and digits, and the assistant speaks between the
 * result of a tool and the user. Neither the vendor's API (code 3230, `Unexpected role 'user' after role 'tool'`) nor the
 * templates of its open models take anything else there; what it would say nobody knows.
 */
export const mistralTurns: RequestRules = {
  silentAssistant: false,
  alternate: true,
  resultMedia: 'behind',
  behindResult: '…',
  callIds: { pattern: /^[a-z\d]{9}$/i, length: 9 },
};

/** docs.mistral.ai/api */
export const mistralRules: RequestRules = {
  ...mistralTurns,
  developer: false,
  system: 'one',
  assistantLast: 'prefix',
  someUser: '…',
  functionNames: openaiNames,
  messageFields: ['prefix'],
  efforts: ['none', 'high'],
  temperature: 1.5,
  toolSchema: { required: true },
};
