import type { NameRule, ToolSchemaRule } from '../contract/request-rules.js';

/** Names of functions and messages as OpenAI has them, and most vendors of its format. */
export const openaiNames: NameRule = { pattern: /^[\w-]+$/, length: 64 };

export const openaiIds: NameRule = { pattern: /^[^]+$/, length: 64 };

export const objectSchemas: ToolSchemaRule = { rootObject: true, noRootUnions: true, objectProperties: true };
