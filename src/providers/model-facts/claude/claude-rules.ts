import { base64Of } from '../../translation/data-url.js';
import type { ModelTraits } from '../../protocols/anthropic-messages/model-traits.js';
import { membersRead } from '../../translation/read-members.js';
import type { RequestRules } from '../../contract/request-rules.js';

const types = 'image/(jpe?g|png|gif|webp)';

/** Media of the models that other clouds serve, which fetch no addresses. */
const hostedMedia = { image: base64Of(types), file: base64Of('application/pdf') };

/** platform.claude.com/docs: vision, PDF support. Anthropic itself fetches images and files. */
export const anthropicMedia = { image: base64Of(types, '|^https:'), file: base64Of('application/pdf', '|^https:') };

const reads = membersRead();

/** Text of a turn that is put before a conversation which begins with the assistant: vendors want one of the user. */
export const BEGINNING = '(The conversation begins.)';

/**
 * platform.claude.com/docs: tools, extended and adaptive thinking, and migration guides. From Claude Opus 4.6 on, whose
 * thinking may be adaptive, a conversation does not end with the assistant.
 * @param claude whether it is one, and not another vendor's model that is served in the format
 */
export function claudeRules({ thinking, unlisted }: Pick<ModelTraits, 'thinking' | 'unlisted'>, claude = true): RequestRules {
  return {
    userFirst: BEGINNING,
    assistantLast: !unlisted && (thinking === 'adaptive' || thinking === 'both') ? 'refused' : 'trimmed',
    ...(claude && !unlisted && thinking !== 'none' && { thinking }),
    callIds: { pattern: /^[\w-]+$/, length: 1_024 },
    functionNames: { pattern: /^[\w-]+$/, length: 64 },
    argumentsObject: true,
    media: hostedMedia,
    reads,
    toolSchema: { rootObject: true, noRootUnions: true },
  };
}
