import type { ChatLogprobs, Delta, ToolCallDelta } from './chat-completion.js';
import type { CompletionLogprobs } from './completion.js';
import type { GenerationChoice, GenerationChunk } from './generation.js';
import { ownOf, setMember } from './own-members.js';

type Logprobs = NonNullable<GenerationChoice['logprobs']>;

/**
 * Merges the chunks of a generation into one chunk of whole choices, ordered by index; the given chunks are not
 * changed. A choice that came in one chunk is passed on as the same object, so this costs little where nothing was
 * streamed. Runs are not read, because `choices` has their text too.
 */
export function accumulate(chunks: Iterable<GenerationChunk>): GenerationChunk {
  const choices = new Map<number, GenerationChoice>();
  /** Those that were made here, and may be changed. */
  let merged: Set<GenerationChoice> | undefined;
  let usage: GenerationChunk['usage'];
  let extra: GenerationChunk['extra'];
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    if (chunk.extra) Object.assign((extra ??= {}), chunk.extra);
    for (const choice of chunk.choices) {
      const before = choices.get(choice.index);
      if (!before) choices.set(choice.index, choice);
      else if (merged?.has(before)) appendChoice(before, choice);
      else {
        const whole: GenerationChoice = { index: choice.index, finish_reason: null };
        appendChoice(whole, before);
        appendChoice(whole, choice);
        choices.set(choice.index, whole);
        (merged ??= new Set()).add(whole);
      }
    }
  }
  return { choices: [...choices.values()].sort((a, b) => a.index - b.index), ...(usage && { usage }), ...(extra && { extra }) };
}

/** Adds what came next of a choice to `whole`, which is changed. */
export function appendChoice(whole: GenerationChoice, next: GenerationChoice): void {
  if (next.text !== undefined) whole.text = (whole.text ?? '') + next.text;
  if (next.delta) appendDelta((whole.delta ??= {}), next.delta);
  if (next.logprobs) whole.logprobs = appendLogprobs(whole.logprobs ?? undefined, next.logprobs);
  whole.finish_reason = next.finish_reason ?? whole.finish_reason;
  if (next.stop_sequence !== undefined) whole.stop_sequence = next.stop_sequence;
  if (next.paused) whole.paused = true;
}

/**
 * Adds a later delta to `whole`, which is changed. Texts and lists are concatenated, of other values the last one is
 * kept; the same applies to what vendors add.
 */
export function appendDelta(whole: Delta, next: Delta): void {
  for (const field of Object.keys(next)) {
    const value = next[field];
    const before = ownOf(whole, field);
    if (field === 'tool_calls' && Array.isArray(value)) appendToolCalls((whole.tool_calls ??= []), value as ToolCallDelta[]);
    else if (before === undefined || before === null || field === 'role')
      setMember(whole, field, Array.isArray(value) ? value.slice() : value);
    else if (typeof before === 'string' && typeof value === 'string') setMember(whole, field, before + value);
    else if (Array.isArray(before) && Array.isArray(value)) before.push(...(value as unknown[]));
    else if (value !== undefined && value !== null) setMember(whole, field, value);
  }
}

/** Arguments are concatenated; a name or an id that a vendor repeats with each delta is kept once. */
function appendToolCalls(whole: ToolCallDelta[], deltas: readonly ToolCallDelta[]): void {
  for (const delta of deltas) {
    const call = whole.find(({ index }) => index === delta.index);
    if (!call) {
      whole.push({ ...delta, ...(delta.function && { function: { ...delta.function } }) });
      continue;
    }
    call.id ||= delta.id;
    call.type ??= delta.type;
    call.extra_content ??= delta.extra_content;
    if (!delta.function) continue;
    const target = (call.function ??= {});
    target.name ||= delta.function.name;
    if (delta.function.arguments !== undefined) target.arguments = (target.arguments ?? '') + delta.function.arguments;
  }
}

function appendLogprobs(whole: Logprobs | undefined, next: Logprobs): Logprobs {
  if ('tokens' in next) return appendTokens(whole as CompletionLogprobs | undefined, next);
  const before = whole as ChatLogprobs | undefined;
  return { content: joined(before?.content, next.content), refusal: joined(before?.refusal, next.refusal) };
}

function appendTokens(whole: CompletionLogprobs | undefined, next: CompletionLogprobs): CompletionLogprobs {
  return {
    tokens: [...(whole?.tokens ?? []), ...next.tokens],
    token_logprobs: [...(whole?.token_logprobs ?? []), ...next.token_logprobs],
    top_logprobs: joined(whole?.top_logprobs, next.top_logprobs),
    text_offset: [...(whole?.text_offset ?? []), ...next.text_offset],
  };
}

function joined<T>(before: readonly T[] | null | undefined, next: readonly T[] | null): T[] | null {
  if (!before) return next && [...next];
  return next ? [...before, ...next] : [...before];
}
