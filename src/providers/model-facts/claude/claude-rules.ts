import type { ModelTraits } from '../../protocols/anthropic-messages/model-traits.js';
import type { RequestRules } from '../../request-rules.js';

/** Text of a turn that is put before a conversation which begins with the assistant: vendors want one of the user. */
export const BEGINNING = '(The conversation begins.)';

/**
 * platform.claude.com/docs: tools, and migration guides. From Claude Opus 4.6 on, whose thinking is adaptive, a
 * conversation does not end with the assistant.
 */
export function claudeRules({ thinking }: Pick<ModelTraits, 'thinking'>): RequestRules {
  return {
    userFirst: BEGINNING,
    assistantLast: thinking === 'adaptive' ? 'refused' : 'trimmed',
    callIds: { pattern: /^[\w-]+$/, length: 1_024 },
    functionNames: { pattern: /^[\w-]+$/, length: 64 },
    argumentsObject: true,
    toolSchema: { rootObject: true, noRootUnions: true },
  };
}
