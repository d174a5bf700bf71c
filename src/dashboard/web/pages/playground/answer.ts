/** A call of a function, as far as it has come. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  /** What a vendor wants back unchanged. */
  readonly extra?: unknown;
}

/** `cut`: it was stopped here because it is longer than what is shown. */
export type AnswerState = 'waiting' | 'streaming' | 'done' | 'stopped' | 'cut' | 'failed';

/** What one model has answered to one prompt. */
export interface Answer {
  readonly id: string;
  /** The column of the model. */
  readonly column: string;
  readonly model: string;
  readonly state: AnswerState;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  /** What the called functions returned, by the id of the call; absent until it is sent. */
  readonly results?: Readonly<Record<string, string>>;
  /** What a vendor wants back unchanged. */
  readonly extra?: unknown;
  readonly finish?: string;
  readonly error?: string;
  readonly requestId?: string;
  /** Names of parameters that the provider could not take. */
  readonly dropped?: string;
  /** Milliseconds from sending to the first token, and to the end. */
  readonly firstTokenMs?: number;
  readonly totalMs?: number;
  readonly tokens?: { readonly prompt: number; readonly completion: number; readonly estimated?: boolean };
  /** Credits, as the administration API tells them; null where nothing was charged. */
  readonly charged?: string | null;
}

export const isOpen = ({ state }: Answer): boolean => state === 'waiting' || state === 'streaming';

/** Characters of one answer at most, its thoughts and calls included. */
export const MAX_ANSWER = 400_000;

/** Milliseconds below which a speed says nothing: what came at once was made before. */
const MIN_TIME = 50;

/** Calls in one answer at most. */
const MAX_CALLS = 64;

interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly extra_content?: unknown;
}

/** An event of either operation, as far as it is shown. */
export interface Chunk {
  readonly choices?: readonly {
    readonly text?: string;
    readonly delta?: {
      readonly content?: string | null;
      readonly refusal?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly CallDelta[];
      readonly extra_content?: unknown;
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly error?: { readonly message?: string; readonly code?: string };
}

/** The answer with what an event adds. */
export function withChunk(answer: Answer, { choices, usage }: Chunk): Answer {
  const next: { -readonly [Field in keyof Answer]: Answer[Field] } = { ...answer };
  if (usage) next.tokens = { prompt: usage.prompt_tokens, completion: usage.completion_tokens };
  const choice = choices?.[0];
  if (!choice) return next;
  const { delta } = choice;
  next.text += (choice.text ?? '') + (delta?.content ?? '') + (delta?.refusal ?? '');
  next.reasoning += delta?.reasoning_content ?? '';
  if (delta?.tool_calls) next.calls = withCalls(answer.calls, delta.tool_calls);
  if (delta?.extra_content !== undefined) next.extra = delta.extra_content;
  if (choice.finish_reason) next.finish = choice.finish_reason;
  return next;
}

function withCalls(calls: readonly ToolCall[], deltas: readonly CallDelta[]): ToolCall[] {
  const next = [...calls];
  for (const { index = 0, id, function: called, extra_content } of deltas) {
    if (index < 0 || index > Math.min(next.length, MAX_CALLS - 1)) continue;
    const before = next[index] ?? { id: '', name: '', arguments: '' };
    next[index] = {
      ...before,
      id: before.id || (id ?? ''),
      name: before.name + (called?.name ?? ''),
      arguments: before.arguments + (called?.arguments ?? ''),
      ...(extra_content !== undefined && { extra: extra_content }),
    };
  }
  return next;
}

/** Characters that have come. */
export const sizeOf = ({ text, reasoning, calls }: Answer): number =>
  text.length + reasoning.length + calls.reduce((sum, call) => sum + call.arguments.length, 0);

/** Tokens of the answer a second, from the first one on; undefined where it cannot be told. */
export function speedOf({ tokens, firstTokenMs, totalMs }: Answer): number | undefined {
  if (!tokens || firstTokenMs === undefined || totalMs === undefined) return undefined;
  const milliseconds = totalMs - firstTokenMs;
  // The first token is there when the time begins.
  return milliseconds >= MIN_TIME && tokens.completion > 1 ? ((tokens.completion - 1) * 1_000) / milliseconds : undefined;
}

export interface Segment {
  readonly kind: 'text' | 'code';
  readonly text: string;
}

/** Tells the fenced code of an answer from the rest, also while the end of a fence has not come yet. */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  const fence = /^ {0,3}```[^`\n]*\n([\s\S]*?)(?:^ {0,3}```[ \t]*$\n?|(?![\s\S]))/gm;
  let end = 0;
  for (const match of text.matchAll(fence)) {
    const before = text.slice(end, match.index).replaceAll(/^\n+|\s+$/g, '');
    if (before !== '') segments.push({ kind: 'text', text: before });
    segments.push({ kind: 'code', text: match[1]!.replace(/\n$/, '') });
    end = match.index + match[0].length;
  }
  const rest = end === 0 ? text : text.slice(end).replace(/^\n+/, '');
  if (rest.trim() !== '' || segments.length === 0) segments.push({ kind: 'text', text: rest });
  return segments;
}
