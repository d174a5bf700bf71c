import { copyWith } from '../wire/members.js';
import { callOfTool, isPriced, mostCalls } from '../providers/contract/hosted-callers.js';
import type { MessagesTool, ServerTool } from '../wire/anthropic-message.js';
import type { JsonObject } from '../wire/json-object.js';
import { mark, type Shape } from './foreign-blocks.js';
import { knownOf, type LeaveOut, toolShape } from './known-members.js';

/** The members of tools that Anthropic runs or has declared (docs.anthropic.com, Tools; `@anthropic-ai/sdk`, ToolUnion). */
const hostedShape: Shape = {
  type: 'any',
  name: 'any',
  strict: 'any',
  defer_loading: 'any',
  allowed_callers: 'any',
  cache_control: mark,
  max_uses: 'any',
  allowed_domains: 'any',
  blocked_domains: 'any',
  user_location: 'any',
  response_inclusion: 'any',
  max_content_tokens: 'any',
  citations: { enabled: 'any' },
  use_cache: 'any',
  url_sources: 'any',
  max_characters: 'any',
  display_width_px: 'any',
  display_height_px: 'any',
  display_number: 'any',
  enable_zoom: 'any',
  configs: 'any',
  input_examples: 'any',
};

/** Whether the vendor runs the tool, or has declared it. */
export function isHosted(tool: MessagesTool | ServerTool): tool is ServerTool {
  return typeof tool.type === 'string' && tool.type !== '' && tool.type !== 'custom';
}

/** A tool with its known members alone. The vendor may search and fetch as often as is believed. */
export function nativeTool(tool: MessagesTool | ServerTool, leaveOut?: LeaveOut): JsonObject {
  if (!isHosted(tool)) return knownOf(tool as unknown as JsonObject, toolShape, leaveOut);
  const known = knownOf(tool, hostedShape, leaveOut);
  const max_uses = usesOf(tool);
  const limited = /^(search|fetch)$/.test(callOfTool(tool.type) ?? '');
  return !limited || max_uses === tool.max_uses ? known : copyWith(known, { max_uses });
}

/** Calls of the tools at most that cost something; undefined where none does. */
export function mostUses(tools: readonly ServerTool[]): number | undefined {
  const priced = tools.filter(({ type }) => isPriced(callOfTool(type)));
  return priced.length > 0 ? Math.max(...priced.map(usesOf)) : undefined;
}

function usesOf({ max_uses }: ServerTool): number {
  return mostCalls(max_uses);
}
