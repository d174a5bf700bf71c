import { byteText } from '../../wire/byte-text.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { ChunkObserver } from '../contract/pushed-chunks.js';
import { textEnds, type TextField } from './text-run.js';

/**
 * Passes the chunks of one read on, and joins neighbours that are deltas of one text to a run: a run takes the way to
 * the client once, and each of its deltas becomes an event of its own there.
 */
export class TextJoiner implements Pick<ChunkObserver, 'next'> {
  #open: OpenText | undefined;

  constructor(private readonly observer: Pick<ChunkObserver, 'next'>) {}

  next(chunk: GenerationChunk): void {
    const delta = textDeltaOf(chunk);
    if (delta && this.#open?.add(delta)) return;
    this.flush();
    if (delta) this.#open = new OpenText(chunk, delta);
    else this.observer.next(chunk);
  }

  /** Passes on what was held back: no more chunks come for now. */
  flush(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    this.observer.next(open.chunk);
  }
}

interface TextDelta {
  readonly index: number;
  readonly field: TextField;
  readonly text: string;
  readonly tokens: number | undefined;
  readonly usageSoFar: GenerationChunk['usageSoFar'];
  readonly serviceTier: string | undefined;
}

class OpenText {
  readonly #texts: string[];
  #tokens: number | undefined;
  /** What the provider has told with the latest of them. */
  #usageSoFar: GenerationChunk['usageSoFar'];
  #serviceTier: string | undefined;

  constructor(
    private readonly first: GenerationChunk,
    private readonly delta: TextDelta,
  ) {
    this.#texts = [delta.text];
    this.#tokens = delta.tokens;
    this.#usageSoFar = delta.usageSoFar;
    this.#serviceTier = delta.serviceTier;
  }

  /** @returns false where the delta belongs to another text, or its tokens are counted in another way */
  add({ index, field, text, tokens, usageSoFar, serviceTier }: TextDelta): boolean {
    if (index !== this.delta.index || field !== this.delta.field) return false;
    if (this.#tokens === undefined || tokens === undefined) {
      if (this.#tokens !== tokens) return false;
    } else this.#tokens += tokens;
    this.#texts.push(text);
    if (usageSoFar) this.#usageSoFar = this.#usageSoFar ? { ...this.#usageSoFar, ...usageSoFar } : usageSoFar;
    this.#serviceTier = serviceTier ?? this.#serviceTier;
    return true;
  }

  get chunk(): GenerationChunk {
    if (this.#texts.length === 1) return this.first;
    const { index, field } = this.delta;
    const literals = this.#texts.map((text) => byteText(JSON.stringify(text).slice(1, -1)));
    const chunk: GenerationChunk = {
      choices: [{ index, delta: { [field]: this.#texts.join('') }, logprobs: null, finish_reason: null }],
      run: { ...textEnds(index, field), literals },
    };
    if (this.#tokens !== undefined) chunk.tokens = this.#tokens;
    if (this.#usageSoFar) chunk.usageSoFar = this.#usageSoFar;
    if (this.#serviceTier !== undefined) chunk.serviceTier = this.#serviceTier;
    return chunk;
  }
}

/** @returns undefined for a chunk that is more than one delta of one text */
function textDeltaOf(chunk: GenerationChunk): TextDelta | undefined {
  const { choices, usage, promptTokens, tokens, run, ended, usageSoFar, serviceTier } = chunk;
  if (choices.length !== 1 || usage || promptTokens !== undefined || run || ended) return undefined;
  const { index, delta, logprobs, finish_reason } = choices[0]!;
  if (!delta || logprobs || finish_reason) return undefined;
  let field: string | undefined;
  for (const name in delta) {
    if (field !== undefined) return undefined;
    field = name;
  }
  if (field !== 'content' && field !== 'reasoning_content') return undefined;
  const text = delta[field];
  return text ? { index, field, text, tokens, usageSoFar, serviceTier } : undefined;
}
