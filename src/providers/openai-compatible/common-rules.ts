import type { NameRule, RequestRules, ToolSchemaRule } from '../request-rules.js';

/** Names of functions and messages as OpenAI has them, and most vendors of its format. */
export const openaiNames: NameRule = { pattern: /^[\w-]+$/, length: 64 };

export const openaiIds: NameRule = { pattern: /^[^]+$/, length: 64 };

/** github.com/mistralai/mistral-common: ids of calls are nine letters and digits. */
export const mistralIds: NameRule = { pattern: /^[a-z\d]{9}$/i, length: 9 };

export const objectSchemas: ToolSchemaRule = { rootObject: true, noRootUnions: true, objectProperties: true };

/**
 * Servers of open models write the prompt with the model's own template. Many of those refuse a system message behind
 * the beginning, know no `developer`, and read arguments as objects.
 */
const anyTemplate: RequestRules = { developer: false, system: 'one', argumentsObject: true };

const mistralTemplate: RequestRules = {
  ...anyTemplate,
  alternate: true,
  userFirst: '…',
  resultMedia: 'behind',
  behindResult: 'Understood.',
  callIds: mistralIds,
};

/** What the template of a model takes, by the name of the model. */
export function templateRules(upstreamModel: string): RequestRules {
  return /mistral|ministral|magistral|devstral|codestral|pixtral/i.test(upstreamModel) ? mistralTemplate : anyTemplate;
}
