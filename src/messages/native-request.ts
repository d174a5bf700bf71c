import type { RequestContext } from '../http/requests/request-context.js';
import { isCarried } from '../inference/carried/carried-facts.js';
import type { CarriedReader } from '../inference/carried/carried-reader.js';
import { hasSomeText } from '../wire/members.js';
import type { MessagesTool, TurnParam } from '../wire/anthropic-message.js';
import { CITED } from '../providers/contract/carried-proofs.js';
import { isToolSearch } from '../providers/contract/hosted-callers.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import type { NativeRequest } from '../wire/native.js';
import type { CreateMessageDto } from './create-message.dto.js';
import { foreignShape, pausedCalls, reportedAs, toolsOfBlocks } from './foreign-blocks.js';
import { isHosted, nativeTool } from './hosted-tools.js';
import {
  blockShape,
  changedOf,
  formatShape,
  knownOf,
  knownOfAll,
  type LeaveOut,
  markShape,
  metadataShape,
  outputConfigShape,
  thinkingShape,
  toolChoiceShape,
  turnShape,
} from './known-members.js';

type Known = (value: unknown, leaveOut: LeaveOut) => unknown;

/** Members that the canonical request holds as well, and what is known of them. */
const members = {
  messages: (value, leaveOut) => knownOfAll(value as unknown[], leaveOut, turnShape),
  system: (value, leaveOut) => (Array.isArray(value) ? knownOfAll(value, leaveOut) : value),
  tools: (value, leaveOut) => changedOf(value as unknown[], (tool) => nativeTool(tool as unknown as MessagesTool, leaveOut)),
  tool_choice: within(toolChoiceShape),
  stop_sequences: (value) => value,
  thinking: within(thinkingShape),
  output_config: within(outputConfigShape),
  metadata: within(metadataShape),
  cache_control: within(markShape),
} as const satisfies Partial<Record<keyof CreateMessageDto, Known>>;

/** What models differ in, so that the gateway may leave it out for one of them. */
const apart: ReadonlySet<string> = new Set(['temperature', 'top_p']);

/**
 * Features that change neither the price of a request nor what it reaches, by the beginnings of their names
 * (docs.anthropic.com, Beta headers).
 */
const betas = [
  'advanced-tool-use-',
  'claude-code-',
  'code-execution-',
  'computer-use-',
  'effort-',
  'extended-cache-ttl-',
  'fine-grained-tool-streaming-',
  'interleaved-thinking-',
  'prompt-caching-',
  'structured-outputs-',
  'task-budgets-',
  'token-efficient-tools-',
  'tool-search-tool-',
  'web-fetch-',
  'web-search-',
];

/** Characters of the header that are read. */
const MAX_BETAS = 2_000;

/**
 * The client's request as far as it may go on as it came.
 * @returns undefined where the conversation has what the vendor refuses: thinking of another one, or blocks of tools that
 * it takes only as a feature to be asked for
 */
export function nativeRequest(
  body: CreateMessageDto,
  headers: RequestContext['headers'],
  blocks: readonly JsonObject[],
  carried: CarriedReader,
): NativeRequest | undefined {
  const leaveOut =
    (where: string): LeaveOut =>
    (of, name) =>
      carried.leaveOutMember(of, name, where === 'messages' && !Object.hasOwn(of, 'role') ? 'messages.content' : where);
  const native: JsonObject = {};
  const holder = body as unknown as JsonObject;
  for (const [name, known] of Object.entries(members)) {
    if (holder[name] != null) native[name] = known(holder[name], leaveOut(name));
  }
  const { output_format: format } = body;
  if (format)
    native['output_config'] = {
      format: within(formatShape)(format, leaveOut('output_format')),
      ...(native['output_config'] as JsonObject),
    };
  const tools = body.tools ?? [];
  const settings = [
    ...(['defer_loading', 'eager_input_streaming'] as const)
      .filter((name) => tools.some((tool) => tool[name] === true))
      .map((name) => `tools.${name}`),
    ...(body.output_config?.task_budget ? ['output_config.task_budget'] : []),
    ...(body.thinking && 'display' in body.thinking && body.thinking.display ? ['thinking.display'] : []),
  ];
  const cited = blocks.some(({ type, citations }) => type === 'text' && Array.isArray(citations) && citations.length > 0);
  if (body.messages.some(hasForeignThinking) || !blocks.every(({ type }) => blockShape(type))) {
    for (const name of cited ? [...settings, CITED] : settings) carried.leaveOut(name);
    return undefined;
  }
  // The vendor refuses a choice where there is nothing to choose from.
  if (!body.tools?.length) delete native['tool_choice'];
  const beta = allowedBetas(headers['anthropic-beta']);
  const searches = tools.filter(isHosted).filter(isToolSearch);
  const goesBeyond = searches.length > 0 || settings.length > 0 || blocks.some(({ type }) => foreignShape(type));
  const paused = [...pausedCalls(body.messages)].map(reportedAs);
  const left = new Set([...paused, ...searches.map(({ type }) => `tools.${type}`), ...settings]);
  const beyond = goesBeyond ? [...left] : undefined;
  return {
    wire: 'anthropic-messages',
    body: native,
    apart,
    beyond,
    tools: toolsOfBlocks,
    cited,
    ...(beta && { headers: { 'anthropic-beta': beta } }),
  };
}

function hasForeignThinking(turn: TurnParam): boolean {
  if (turn.role !== 'assistant' || typeof turn.content === 'string') return false;
  return turn.content.some((block) => {
    if (block.type === 'thinking') return !hasSomeText(block, 'signature') || isCarried(block, 'signature');
    return block.type === 'redacted_thinking' && isCarried(block, 'data');
  });
}

function within(shape: Parameters<typeof knownOf>[1]): Known {
  return (value, leaveOut) => (isObject(value) ? knownOf(value, shape, leaveOut) : value);
}

function allowedBetas(header: string | string[] | undefined): string | undefined {
  const names = [header ?? []].flat().join(',').slice(0, MAX_BETAS).split(',');
  const allowed = names.map((name) => name.trim()).filter((name) => /^[\w.-]+$/.test(name) && betas.some((beta) => name.startsWith(beta)));
  return allowed.length > 0 ? allowed.join(',') : undefined;
}
