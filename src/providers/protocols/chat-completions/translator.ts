import type { GenerationChoice, GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { FinishReason } from '../../../wire/chat-completion.js';
import type { Usage } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import { isText } from '../is-text.js';
import { inBandError } from '../upstream-error.js';
import { vendorError } from '../vendor-error.js';
import { AnswerMembers } from './answer-members.js';
import { DeltaTranslator } from './delta-translator.js';
import { finishReasonFrom } from './finish-reason.js';
import { ShownCalls } from './hosted-calls.js';
import { chatLogprobsFrom, completionLogprobsFrom } from './logprobs.js';
import { joinUsages, type Word } from '../join-usages.js';
import { countedSoFar, usageFrom } from './usage.js';

interface ChoiceState {
  readonly index: number;
  readonly delta: DeltaTranslator;
  /** UTF-16 code units of the completion's text so far. */
  textLength: number;
  finish?: FinishReason;
}

/**
 * Translates one response in OpenAI's format to what the contract promises, whatever a vendor leaves out, repeats or
 * spells in its own way. Finish reasons and usage are held back until the end: only there is it certain that the
 * response is complete, and vendors send both more than once.
 */
export class ChatCompletionsTranslator {
  /** In the order in which they have begun. */
  readonly #states: ChoiceState[] = [];
  /** What its usages have told. */
  #told: JsonObject | undefined;
  /** The event that is being read has told counts or calls. */
  #hasJustTold = false;
  /** What the vendor says of it beside the usage. */
  #serviceTier: string | undefined;
  #tierTold = false;
  readonly #calls = new ShownCalls();
  readonly #members = new AnswerMembers();
  #knowsFinishReasons = false;
  /** The event that is being read ends the last of the choices. */
  #hasJustEnded = false;

  constructor(
    private readonly request: GenerationRequest,
    private readonly secrets: readonly string[],
    private readonly word: Word = 'most',
  ) {}

  /**
   * Translates one event of a stream.
   * @returns undefined where the event brings no output
   * @throws ProviderError
   */
  event(event: JsonObject): GenerationChunk | undefined {
    const choices = this.#read(event, false) ?? [];
    if (this.#hasJustTold || this.#hasJustEnded) return this.#news(choices);
    if (choices.length === 0) return undefined;
    const chunk = this.#withExtra({ choices });
    if (this.#serviceTier === undefined || this.#tierTold) return chunk;
    this.#tierTold = true;
    chunk.serviceTier = this.#serviceTier;
    return chunk;
  }

  /** Adds what was not told yet. */
  #withExtra(chunk: GenerationChunk): GenerationChunk {
    const extra = this.#members.news();
    if (extra) chunk.extra = extra;
    return chunk;
  }

  #news(choices: readonly GenerationChoice[]): GenerationChunk {
    const chunk: GenerationChunk = choices.length > 0 ? this.#withExtra({ choices }) : { choices };
    if (this.#hasJustEnded) {
      chunk.ended = true;
      if (this.#states.length === 1) chunk.endedBy = this.#reason(this.#states[0]!);
    }
    if (this.#hasJustTold) chunk.usageSoFar = this.#usageSoFar;
    this.#hasJustEnded = this.#hasJustTold = false;
    return chunk;
  }

  get #usageSoFar(): Partial<Usage> {
    const usage = this.#calls.in(this.#told ? countedSoFar(this.#told) : {});
    return this.#serviceTier === undefined ? usage : { ...usage, service_tier: this.#serviceTier };
  }

  /** Takes note of a chunk that was made without parsing its event. */
  passed(chunk: GenerationChunk): void {
    const choice = chunk.choices[0];
    const state = choice?.text === undefined ? undefined : this.#known(choice.index);
    if (state && choice?.text) state.textLength += choice.text.length;
  }

  /**
   * The stream has ended.
   * @param marked whether it ended with `[DONE]`
   * @throws ProviderError bad_response where a choice is missing or has no finish reason
   */
  end(marked: boolean): GenerationChunk[] {
    const states = this.#states;
    this.#checkCount(marked && states.every(({ finish }) => finish));
    // A vendor that never gives finish reasons, but counts the tokens and marks the end, has said that the response is
    // complete.
    const implied = marked && usageFrom(this.#told) !== undefined && !this.#knowsFinishReasons;
    const chunks: GenerationChunk[] = [];
    for (const state of states) {
      if (!state.finish && !implied) throw new ProviderError('bad_response', 'The provider ended its stream in the middle of an answer');
      const { index } = state;
      const delta = this.request.operation === 'chat' ? state.delta.finish() : undefined;
      if (delta) chunks.push({ choices: [{ index, delta, logprobs: null, finish_reason: null }] });
      chunks.push({ choices: [this.#finished(index, this.#reason(state))] });
    }
    if (chunks.length > 0) this.#withExtra(chunks[0]!);
    return this.#withUsage(chunks);
  }

  /** Translates a response that is not streamed. @throws ProviderError */
  whole(body: JsonObject): GenerationChunk {
    const chunkChoices = this.#read(body, true);
    if (!chunkChoices) throw new ProviderError('bad_response', 'The provider answered without choices');
    this.#checkCount(true);
    const choices = this.#states.map((state): GenerationChoice => {
      const choice = chunkChoices.find(({ index }) => index === state.index) ?? this.#empty(state);
      if (!state.finish && !says(choice)) throw new ProviderError('bad_response', 'The provider answered with an empty choice');
      choice.finish_reason = this.#reason(state);
      return choice;
    });
    const chunk = this.#withExtra({ choices });
    const usage = this.#countedUsage;
    if (usage) chunk.usage = usage;
    else if (this.#hasJustTold) chunk.usageSoFar = this.#usageSoFar;
    return chunk;
  }

  get #countedUsage(): Usage | undefined {
    const told = usageFrom(this.#told);
    if (!told) return undefined;
    const usage = this.#calls.in(told);
    return this.#serviceTier === undefined ? usage : { ...usage, service_tier: this.#serviceTier };
  }

  #read(event: JsonObject, whole: boolean): GenerationChoice[] | undefined {
    const { choices } = event;
    this.#checkError(event);
    if (isText(event['service_tier'])) this.#serviceTier = event['service_tier'];
    this.#members.see(event);
    this.#keepUsage(event['usage']);
    if (isObject(event['x_groq'])) this.#keepUsage(event['x_groq']['usage']);
    if (!Array.isArray(choices)) return undefined;
    const chunkChoices: GenerationChoice[] = [];
    for (let position = 0; position < choices.length; position++) {
      const vendor: unknown = choices[position];
      if (!isObject(vendor)) continue;
      this.#checkError(vendor, false);
      if (event['usage'] == null) this.#keepUsage(vendor['usage']);
      const state = this.#state(Number.isInteger(vendor['index']) ? (vendor['index'] as number) : position);
      const choice = state && this.#choice(state, vendor, whole);
      if (choice) chunkChoices.push(choice);
    }
    return chunkChoices;
  }

  #choice(state: ChoiceState, vendor: JsonObject, whole: boolean): GenerationChoice | undefined {
    const reason = vendor['finish_reason'];
    if (reason !== undefined) this.#knowsFinishReasons = true;
    if (isText(reason)) this.#end(state, finishReasonFrom(reason));
    return this.request.operation === 'chat' ? this.#delta(state, vendor, whole) : this.#text(state, vendor);
  }

  #end(state: ChoiceState, reason: FinishReason): void {
    const ending = state.finish === undefined;
    state.finish = reason;
    if (ending && this.#states.length === this.request.n && this.#states.every(({ finish }) => finish)) this.#hasJustEnded = true;
  }

  #delta({ index, delta: repair }: ChoiceState, vendor: JsonObject, whole: boolean): GenerationChoice | undefined {
    const [usual, other] = whole ? [vendor['message'], vendor['delta']] : [vendor['delta'], vendor['message']];
    const source = isObject(usual) ? usual : other;
    if (isObject(source) && this.#calls.see(index, source)) this.#hasJustTold = true;
    const delta = isObject(source) ? repair.read(source, whole) : undefined;
    const logprobs = chatLogprobsFrom(vendor['logprobs'], this.#alternatives);
    if (!delta && !logprobs?.content && !logprobs?.refusal) return undefined;
    return { index, delta: delta ?? {}, logprobs: logprobs ?? null, finish_reason: null };
  }

  /** Without `top_logprobs` some engines tell as many as they like. */
  get #alternatives(): number {
    return (this.request.operation === 'chat' && this.request.top_logprobs) || 0;
  }

  #text(state: ChoiceState, vendor: JsonObject): GenerationChoice | undefined {
    const text = typeof vendor['text'] === 'string' ? vendor['text'] : '';
    const logprobs = completionLogprobsFrom(vendor['logprobs'], state.textLength) ?? null;
    state.textLength += text.length;
    return text === '' && !logprobs ? undefined : { index: state.index, text, logprobs, finish_reason: null };
  }

  /** @returns undefined for a choice beyond the number that was asked for */
  #state(index: number): ChoiceState | undefined {
    if (index < 0 || index >= this.request.n) return undefined;
    const known = this.#known(index);
    if (known) return known;
    const state = { index, delta: new DeltaTranslator(), textLength: 0 };
    this.#states.push(state);
    return state;
  }

  #known(index: number): ChoiceState | undefined {
    return this.#states.find((state) => state.index === index);
  }

  #empty({ index, delta }: ChoiceState): GenerationChoice {
    if (this.request.operation === 'chat') return { index, delta: delta.read({}, true), logprobs: null, finish_reason: null };
    return { index, text: '', logprobs: null, finish_reason: null };
  }

  #finished(index: number, finish_reason: FinishReason | null): GenerationChoice {
    if (this.request.operation === 'chat') return { index, delta: {}, logprobs: null, finish_reason };
    return { index, text: '', logprobs: null, finish_reason };
  }

  #reason({ delta, finish: reason = 'stop' }: ChoiceState): FinishReason {
    if (reason === 'stop' && delta.callsTools) return 'tool_calls';
    return reason === 'tool_calls' && !delta.callsTools ? 'stop' : reason;
  }

  /**
   * An answer of fewer choices is that of a vendor who ignores `n`.
   * @param complete whether nothing is missing in the choices that have come
   */
  #checkCount(complete: boolean): void {
    const { n } = this.request;
    const { length } = this.#states;
    if (length >= n || (complete && length > 0)) return;
    throw new ProviderError('bad_response', `The provider answered with ${length} of ${n} choices`);
  }

  #withUsage(chunks: GenerationChunk[]): GenerationChunk[] {
    const last = chunks.at(-1);
    const usage = this.#countedUsage;
    if (last && usage) last.usage = usage;
    return chunks;
  }

  #keepUsage(value: unknown): void {
    if (!isObject(value)) return;
    this.#told = joinUsages(this.#told, value, this.word);
    this.#hasJustTold = true;
  }

  /** An event without choices may also be an error in one of the flat shapes. */
  #checkError(event: JsonObject, flat = !Array.isArray(event['choices'])): void {
    if (event['error'] == null && event['object'] !== 'error' && !flat) return;
    const error = vendorError(event['error'] == null ? event : { error: event['error'] });
    if (error) throw inBandError(error, this.secrets);
  }
}

function says({ delta, text }: GenerationChoice): boolean {
  return Boolean(text || delta?.content || delta?.refusal || delta?.reasoning_content || delta?.tool_calls);
}
