import type { ChatLogprobs, Delta, ToolCallDelta } from '../../wire/chat-completion.js';
import type { CompletionLogprobs } from '../../wire/completion.js';
import type { GenerationChoice, GenerationChunk } from '../../wire/generation.js';

type Logprobs = NonNullable<GenerationChoice['logprobs']>;

/**
 * Merges the pieces of an answer into one chunk of whole choices, ordered by index; the pieces stay as they are. A choice that came in one piece is
 * that piece, so that the streamed and the unstreamed answer meet here. `raw` is ignored: pieces that carry it are for streams only.
 */
export function accumulate(chunks: Iterable<GenerationChunk>): GenerationChunk {
  const choices = new Map<number, GenerationChoice>();
  let merged: Set<GenerationChoice> | undefined;
  let usage: GenerationChunk['usage'];
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    for (const piece of chunk.choices) {
      const before = choices.get(piece.index);
      if (!before) choices.set(piece.index, piece);
      else if (merged?.has(before)) append(before, piece);
      else {
        const whole: GenerationChoice = { index: piece.index, finish_reason: null };
        append(whole, before);
        append(whole, piece);
        choices.set(piece.index, whole);
        (merged ??= new Set()).add(whole);
      }
    }
  }
  return { choices: [...choices.values()].sort((a, b) => a.index - b.index), ...(usage && { usage }) };
}

function append(whole: GenerationChoice, piece: GenerationChoice): void {
  if (piece.text !== undefined) whole.text = (whole.text ?? '') + piece.text;
  if (piece.delta) appendDelta((whole.delta ??= {}), piece.delta);
  if (piece.logprobs) whole.logprobs = appendLogprobs(whole.logprobs ?? undefined, piece.logprobs);
  whole.finish_reason = piece.finish_reason ?? whole.finish_reason;
}

/** Text grows, lists grow, anything else is what was said last; what vendors add follows the same rule. */
function appendDelta(whole: Delta, piece: Delta): void {
  for (const field of Object.keys(piece)) {
    const value = piece[field];
    const before = whole[field];
    if (field === 'tool_calls' && Array.isArray(value)) appendToolCalls((whole.tool_calls ??= []), value as ToolCallDelta[]);
    else if (before === undefined || before === null || field === 'role') whole[field] = Array.isArray(value) ? value.slice() : value;
    else if (typeof before === 'string' && typeof value === 'string') whole[field] = before + value;
    else if (Array.isArray(before) && Array.isArray(value)) before.push(...(value as unknown[]));
    else if (value !== undefined && value !== null) whole[field] = value;
  }
}

/** Arguments grow; a name or an id that a vendor repeats with each piece counts once. */
function appendToolCalls(whole: ToolCallDelta[], pieces: readonly ToolCallDelta[]): void {
  for (const piece of pieces) {
    const call = whole.find(({ index }) => index === piece.index);
    if (!call) {
      whole.push({ ...piece, ...(piece.function && { function: { ...piece.function } }) });
      continue;
    }
    call.id ||= piece.id;
    call.type ??= piece.type;
    call.extra_content ??= piece.extra_content;
    if (!piece.function) continue;
    const target = (call.function ??= {});
    target.name ||= piece.function.name;
    if (piece.function.arguments !== undefined) target.arguments = (target.arguments ?? '') + piece.function.arguments;
  }
}

function appendLogprobs(whole: Logprobs | undefined, piece: Logprobs): Logprobs {
  if ('tokens' in piece) return appendTokens(whole as CompletionLogprobs | undefined, piece);
  const before = whole as ChatLogprobs | undefined;
  return { content: joined(before?.content, piece.content), refusal: joined(before?.refusal, piece.refusal) };
}

function appendTokens(whole: CompletionLogprobs | undefined, piece: CompletionLogprobs): CompletionLogprobs {
  return {
    tokens: [...(whole?.tokens ?? []), ...piece.tokens],
    token_logprobs: [...(whole?.token_logprobs ?? []), ...piece.token_logprobs],
    top_logprobs: joined(whole?.top_logprobs, piece.top_logprobs),
    text_offset: [...(whole?.text_offset ?? []), ...piece.text_offset],
  };
}

function joined<T>(before: readonly T[] | null | undefined, piece: readonly T[] | null): T[] | null {
  if (!before) return piece && [...piece];
  return piece ? [...before, ...piece] : [...before];
}
