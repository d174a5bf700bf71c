import type { Offer } from '../../catalogue/offer.js';
import type { CacheBreakpoint } from '../../config/provider.schema.js';
import { changedFrom } from '../../json/json-source.js';
import { copyMember, copyWith } from '../../wire/members.js';
import type { ContentPart, Message, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { CACHE_MARK, refusedMarks } from './cache-marks.js';
import { contentParts } from '../fitting/content-parts.js';

/** How many turns are marked: the last one is written for the next request, which reads to the one before its last. */
const TURNS = 2;

const mark = { type: 'ephemeral' } as const;

interface MarkedRequest<R extends GenerationRequest> {
  readonly request: R;
  /** Where the marks are; at most four, which is as many as Anthropic takes. */
  readonly breakpoints: readonly CacheBreakpoint[];
}

/**
 * Marks a chat without marks where its offer says so: whatever is before a mark is written to the provider's cache for
 * 5 minutes, and read from there by the next request that begins in the same way.
 * @returns undefined where the offer may be sent no marks, or the request has none of the places
 */
export function withBreakpoints<R extends GenerationRequest>(
  offer: Pick<Offer, 'price' | 'cacheMarks' | 'cacheBreakpoints'>,
  request: R,
): MarkedRequest<R> | undefined {
  const { cacheMarks, cacheBreakpoints } = offer;
  if (request.operation !== 'chat' || !cacheBreakpoints || !cacheMarks || refusedMarks(offer)?.(mark, CACHE_MARK)) return undefined;
  let marked: ChatGenerationRequest = request;
  const breakpoints = cacheBreakpoints.filter((place) => {
    const before = marked;
    marked = markedAt[place](before);
    return marked !== before;
  });
  return breakpoints.length > 0 ? { request: marked as R, breakpoints } : undefined;
}

/** Each returns the same object where the request has nothing to mark there. */
const markedAt: Readonly<Record<CacheBreakpoint, (request: ChatGenerationRequest) => ChatGenerationRequest>> = {
  tools: (request) => {
    const { tools = [] } = request;
    const last = tools.at(-1);
    if (!last) return request;
    const marked: Tool = copyWith(last, { [CACHE_MARK]: mark } as Partial<Tool>);
    return { ...request, tools: changedFrom(tools, tools.with(tools.length - 1, marked)) };
  },
  system: (request) => {
    const end = request.messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
    return withMarked(request, (end < 0 ? request.messages.length : end) - 1);
  },
  last_turns: (request) => {
    let marked = request;
    let turns = 0;
    let open = true;
    for (let index = request.messages.length - 1; index >= 0 && turns < TURNS; index--) {
      const { role } = request.messages[index]!;
      if (role === 'assistant') open = true;
      if (!open || (role !== 'user' && role !== 'tool')) continue;
      const next = withMarked(marked, index);
      if (next === marked) continue;
      marked = next;
      turns++;
      open = false;
    }
    return marked;
  },
};

function withMarked(request: ChatGenerationRequest, index: number): ChatGenerationRequest {
  const message = request.messages[index];
  const marked = message && markedMessage(message);
  return marked ? { ...request, messages: changedFrom(request.messages, request.messages.with(index, marked)) } : request;
}

/**
 * Marks the last text of a message, because not every vendor takes marks elsewhere; of a tool's result the whole of it.
 */
function markedMessage(message: Message): Message | undefined {
  if (message.role === 'tool') return copyWith(message, { [CACHE_MARK]: mark });
  const parts = contentParts(message);
  if (parts) {
    const last = parts.findLastIndex((part) => part.type === 'text' && isVisible(part, 'text'));
    return last < 0 ? undefined : copyWith(message, { content: parts.with(last, copyWith(parts[last]!, { [CACHE_MARK]: mark })) });
  }
  if (!isVisible(message, 'content')) return undefined;
  const part: ContentPart = { type: 'text', [CACHE_MARK]: mark };
  copyMember(message, 'content', part, 'text');
  return copyWith(message, { content: [part] });
}

/** Whether it is a text with a visible character: vendors take no marks on others. */
function isVisible(holder: object, name: string): boolean {
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' && /\S/.test(value);
}
