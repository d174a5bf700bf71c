import { asByteText, concatBytes, textOf } from '../../wire/byte-text.js';
import type { ToolCall } from '../../wire/chat-completion.js';
import type { CompletionLogprobs } from '../../wire/completion.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../../wire/generation.js';
import type { Usage } from '../../wire/usage.js';

/** One choice, put together as a client would do it. */
export interface CollectedChoice {
  index: number;
  text: string | null;
  reasoning: string | null;
  refusal: string | null;
  toolCalls: { id: string; name: string; arguments: string }[];
  logprobs: unknown[];
  finishReason: string | null;
}

export interface CollectedAnswer {
  choices: CollectedChoice[];
  usage: Usage | undefined;
}

export async function readAll(chunks: AsyncIterable<GenerationChunk>): Promise<GenerationChunk[]> {
  const all: GenerationChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

/**
 * Takes runs apart into their events, and adds up the tokens. How many events a read brings, and so how many make a
 * run, depends on the network.
 */
export function eventsOf(chunks: readonly GenerationChunk[]): { events: GenerationChunk[]; tokens: number } {
  const events = chunks.flatMap(({ tokens: _tokens, run, ...chunk }): GenerationChunk[] => {
    if (!run) return [{ ...chunk, choices: chunk.choices.map(({ logprobs = null, ...said }) => ({ ...said, logprobs })) }];
    return run.literals.map((literal) => JSON.parse(`{${textOf(concatBytes(run.head, literal, run.tail))}`) as GenerationChunk);
  });
  return { events, tokens: chunks.reduce((sum, { tokens = 0 }) => sum + tokens, 0) };
}

/**
 * Puts the chunks of a response together.
 * @throws Error naming what the contract forbids: a choice that goes on after its finish reason, a tool call that is
 * named twice or has no id, usage told twice, a `run` that says something else than its chunk
 */
export function collect(chunks: readonly GenerationChunk[]): CollectedAnswer {
  const choices = new Map<number, CollectedChoice>();
  let usage: Usage | undefined;
  for (const chunk of chunks) {
    if (chunk.run) checkRun(chunk.run, chunk.choices);
    if (chunk.usage) {
      if (usage) throw new Error('usage is told twice');
      usage = chunk.usage;
    }
    for (const part of chunk.choices) add(choices, part);
  }
  const sorted = [...choices.values()].sort((a, b) => a.index - b.index);
  for (const { index, finishReason } of sorted) if (!finishReason) throw new Error(`choice ${index} has no finish reason`);
  return { choices: sorted, usage };
}

function add(choices: Map<number, CollectedChoice>, part: GenerationChoice): void {
  let choice = choices.get(part.index);
  if (!choice) {
    if (part.delta && part.delta.role !== 'assistant') throw new Error('the first delta carries no role');
    choice = { index: part.index, text: null, reasoning: null, refusal: null, toolCalls: [], logprobs: [], finishReason: null };
    choices.set(part.index, choice);
  }
  if (choice.finishReason) throw new Error(`choice ${part.index} goes on after its finish reason`);
  const content = part.delta ? part.delta.content : part.text;
  if (typeof content === 'string') choice.text = (choice.text ?? '') + content;
  if (part.delta?.reasoning_content) choice.reasoning = (choice.reasoning ?? '') + part.delta.reasoning_content;
  if (part.delta?.refusal) choice.refusal = (choice.refusal ?? '') + part.delta.refusal;
  for (const call of part.delta?.tool_calls ?? []) addToolCall(choice, call);
  if (part.logprobs) choice.logprobs.push(...tokensOf(part.logprobs));
  choice.finishReason = part.finish_reason;
}

function addToolCall(choice: CollectedChoice, delta: { index: number; id?: string; function?: Partial<ToolCall['function']> }): void {
  let call = choice.toolCalls[delta.index];
  if (!call) {
    if (delta.index !== choice.toolCalls.length) throw new Error(`tool call ${delta.index} comes out of order`);
    if (!delta.id) throw new Error(`tool call ${delta.index} has no id`);
    call = { id: delta.id, name: '', arguments: '' };
    choice.toolCalls.push(call);
  } else if (delta.id) throw new Error(`tool call ${delta.index} has its id twice`);
  if (delta.function?.name) {
    if (call.name) throw new Error(`tool call ${delta.index} has its name twice`);
    call.name = delta.function.name;
  }
  call.arguments += delta.function?.arguments ?? '';
}

function tokensOf(logprobs: NonNullable<GenerationChoice['logprobs']>): unknown[] {
  if ('tokens' in logprobs) return (logprobs satisfies CompletionLogprobs).token_logprobs;
  return [...(logprobs.content ?? []), ...(logprobs.refusal ?? [])];
}

function checkRun({ head, tail, literals }: TextRun, choices: readonly GenerationChoice[]): void {
  if (literals.length === 0 || literals.some((literal) => literal === '')) throw new Error('a run of no, or of empty pieces');
  for (const literal of literals) JSON.parse(`{${textOf(concatBytes(head, literal, tail))}`);
  const joined = textOf(concatBytes(head, asByteText(literals.join('')), tail));
  const told = (JSON.parse(`{${joined}`) as { choices: unknown }).choices;
  if (JSON.stringify(told) !== JSON.stringify(choices)) throw new Error(`a run says ${joined}, its chunk ${JSON.stringify(choices)}`);
}
