import { type Clock, systemClock } from '../../common/time/clock.js';
import type { HostedCall } from '../../providers/contract/model-provider.js';
import { parameterIgnored, ProviderError } from '../../providers/contract/provider-error.js';
import type { ChunkSubscription } from '../../providers/contract/pushed-chunks.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import type { GenerationChunk, InferenceRequest } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import type { CountedAnswer } from '../calibration/offer-calibration.js';
import { facts, type Rates } from '../calibration/rates.js';
import { hostedSteps, withCalls, withinAsked } from '../planning/hosted-calls.js';
import { generatedBytes } from '../planning/token-counter.js';
import { believed, type TokenCeiling } from './believed-usage.js';
import { withLastingWrites } from './lasting-writes.js';
import { UpstreamEstimate } from './upstream-estimate.js';

const NOTHING: Partial<Usage> = {};

/**
 * Counts one upstream call: how its choices have ended, and what the provider tells of its tokens. Where that is not
 * all, the gateway's own estimate takes its place.
 */
export class UpstreamMeter {
  readonly #finished = new Map<number, FinishReason>();
  #usage: Usage | undefined;
  /** What the provider has told by now, as far as it can be believed. */
  #told = NOTHING;
  #partsTold = 0;
  #asked = false;
  #source: Pick<ChunkSubscription, 'unsent'> | undefined;
  #lacksLogprobs = false;
  #madeMoreCalls = false;
  #contradictory = false;
  #highestIndex = -1;
  #ended = false;
  #endedBy: FinishReason | undefined;
  readonly #startedAt: number;
  /** Made when it is first needed: most answers that come in one chunk are counted by their provider. */
  #made: UpstreamEstimate | undefined;
  /** The first chunk, as long as the estimate has not seen it, and when it came. */
  #unseen: GenerationChunk | undefined;
  #unseenAt = 0;

  /**
   * @param promptBytes UTF-8 bytes of the prompt's text, for an estimate where the provider gives no count
   * @param ceiling above which the provider's counts are not believed
   * @param rates how the offer counts
   * @param calls what the provider does beside generating: once, where it has not counted it
   * @param toolBytes those of the prompt's bytes that declare tools
   * @param lasting whether the request asks for parts of its prompt to be kept for an hour
   */
  constructor(
    private readonly request: InferenceRequest,
    private readonly promptBytes: number,
    private readonly ceiling: TokenCeiling,
    private readonly rates: Rates = facts,
    private readonly calls: readonly HostedCall[] = [],
    private readonly toolBytes = 0,
    private readonly lasting = false,
    private readonly clock: Clock = systemClock,
  ) {
    this.#startedAt = clock.monotonic();
  }

  /** The provider has been asked. */
  asked(source: Pick<ChunkSubscription, 'unsent'> | undefined): void {
    this.#asked = true;
    this.#source = source;
  }

  /** @throws TypeError where the chunk is not of its type */
  see(chunk: GenerationChunk): void {
    for (const choice of chunk.choices) {
      if (choice.index > this.#highestIndex) this.#highestIndex = choice.index;
      if (choice.finish_reason) this.#finished.set(choice.index, choice.finish_reason);
      if (this.#needsLogprobs && !choice.logprobs && generatedBytes(choice) > 0) this.#lacksLogprobs = true;
    }
    if (chunk.ended) this.#ended = true;
    if (chunk.endedBy) this.#endedBy = chunk.endedBy;
    const { promptTokens, promptDetails, serviceTier } = chunk;
    if (promptTokens !== undefined) this.#tell({ prompt_tokens: promptTokens, prompt_tokens_details: promptDetails });
    if (serviceTier !== undefined && serviceTier !== this.#told.service_tier) this.#tell({ service_tier: serviceTier });
    if (chunk.usageSoFar) this.#tell(chunk.usageSoFar);
    if (chunk.usage) this.#usage = complete(this.#tell(chunk.usage));
    const at = this.clock.monotonic();
    if (this.#made || this.#unseen) return this.#estimate.see(chunk, at);
    // What cannot be read must fail here, and not where it is counted.
    for (const choice of chunk.choices) generatedBytes(choice);
    this.#unseen = chunk;
    this.#unseenAt = at;
  }

  #tell(usage: Partial<Usage>): Partial<Usage> {
    const asked = withinAsked(usage, this.request);
    if (asked !== usage) this.#madeMoreCalls = true;
    const told = believed(asked, this.ceiling, hostedSteps(asked, this.request));
    this.#contradictory = told.contradictory === true;
    if (this.#contradictory) delete told.contradictory;
    const details = told.prompt_tokens_details;
    if (details && this.lasting) told.prompt_tokens_details = withLastingWrites(details);
    const before = this.#told;
    this.#told = before === NOTHING ? told : { ...before, ...told };
    if (!sameParts(before, this.#told)) this.#partsTold++;
    return told;
  }

  get #estimate(): UpstreamEstimate {
    const { request, promptBytes, toolBytes, ceiling, rates } = this;
    this.#made ??= new UpstreamEstimate(request, promptBytes, toolBytes, this.#startedAt, ceiling, rates);
    if (this.#unseen) this.#made.see(this.#unseen, this.#unseenAt);
    this.#unseen = undefined;
    return this.#made;
  }

  /**
   * Checks that the response is complete: a truncated one must not look complete, and best_of ranks by log
   * probabilities.
   * @throws ProviderError bad_response where a choice has not ended, parameter_ignored where the answer is complete
   * without all choices or log probabilities that were asked for
   */
  requireFinished(): void {
    const ended = this.#finished.size;
    if (this.#lacksLogprobs) throw parameterIgnored('logprobs', 'the answer has no log probabilities');
    if (ended > 0 && ended < this.request.n && ended === this.#highestIndex + 1)
      throw parameterIgnored('n', `the answer has ${ended} of ${this.request.n} choices`);
    if (ended < this.request.n) throw new ProviderError('bad_response', 'the answer ended without a finish_reason for every choice');
  }

  /** The choices that are missing are asked for in other calls. */
  leavesOut(): void {
    this.#ended = true;
  }

  /**
   * Only for completions that are not streamed: in a stream, log probabilities may come in another chunk than their
   * text.
   */
  get #needsLogprobs(): boolean {
    return this.request.operation === 'completion' && this.request.logprobs !== undefined && !this.request.stream;
  }

  /** Whether every choice has ended, although the chunks that say why may not have come. */
  get ended(): boolean {
    return this.#ended || this.#finished.size >= this.request.n;
  }

  /** Those of the choices that have ended, in the order of the choices. */
  get finishReasons(): readonly FinishReason[] {
    if (this.#finished.size < 2) return [...this.#finished.values()];
    return [...this.#finished].sort(([a], [b]) => a - b).map(([, reason]) => reason);
  }

  /** Why the only choice has ended, where the chunk that says so has not come. */
  get endedBy(): FinishReason | undefined {
    return this.#finished.size === 0 ? this.#endedBy : undefined;
  }

  /** What the provider has said by now. */
  get serviceTier(): string | undefined {
    return this.#told.service_tier;
  }

  /** Whether the provider has made more calls of hosted tools than it was allowed. */
  get madeMoreCalls(): boolean {
    return this.#madeMoreCalls;
  }

  /** Whether the provider's latest counts contradict each other. */
  get contradictory(): boolean {
    return this.#contradictory;
  }

  /** How often the provider has told of something else than counts that changes what the prompt costs. */
  get partsTold(): number {
    return this.#partsTold;
  }

  /** True where the provider gave no usage that can be believed. */
  get estimated(): boolean {
    return this.#usage === undefined;
  }

  /** Monotonic milliseconds. */
  get firstTokenAt(): number | undefined {
    return this.#estimate.firstTokenAt;
  }

  /** Whether nothing was generated. */
  get empty(): boolean {
    return this.firstTokenAt === undefined;
  }

  /**
   * Completion tokens so far: what the provider has told at least, and never more than were generated. Of a complete
   * response of which the total alone is told, what it has beyond the prompt.
   */
  get completionTokens(): number {
    const total = this.#totalAlone;
    if (total === undefined) return Math.max(this.#told.completion_tokens ?? 0, this.#estimate.completionTokens);
    const rest = Math.min(total - this.promptTokens, this.#estimate.mostTokens);
    return this.ended ? rest : Math.max(rest, this.#estimate.completionTokens);
  }

  get #totalAlone(): number | undefined {
    const { completion_tokens, prompt_tokens, total_tokens } = this.#told;
    return prompt_tokens === undefined && completion_tokens === undefined ? total_tokens || undefined : undefined;
  }

  /** The provider's count, or an estimate, which is no more than a total that stands alone. */
  get promptTokens(): number {
    return this.#told.prompt_tokens || Math.min(this.#totalAlone ?? Infinity, this.#estimate.promptTokens);
  }

  /**
   * Usage of a response of which nothing was delivered: what is known, or else the prompt and what was probably
   * generated by now; none where the provider has seen nothing of the request.
   */
  get abandoned(): Usage {
    if (!this.#asked || this.#source?.unsent) return usageOf(0, 0);
    if (this.#usage || !this.empty) return this.usage;
    return this.#estimatedUsage(Math.max(this.#estimate.silentTokens(this.clock.monotonic()), this.completionTokens));
  }

  /** What there is to learn of a complete response; undefined where the provider has not counted it. */
  get counted(): CountedAnswer | undefined {
    return this.#usage && this.#estimate.learned(this.#usage, this.clock.monotonic());
  }

  /** Usage of a complete response: what the provider reports, or otherwise the tokens counted here. */
  get usage(): Usage {
    return this.#usage ? withCalls(this.#usage, this.calls) : this.delivered;
  }

  /** Usage of a response that is not complete: the prompt and what was generated so far. */
  get delivered(): Usage {
    return this.#estimatedUsage(this.completionTokens);
  }

  /**
   * What the provider has told of a response that is not complete; undefined where it has told no more than a prompt.
   */
  get told(): Usage | undefined {
    const { prompt_tokens = 0, completion_tokens = 0, ...told } = this.#told;
    if (completion_tokens === 0 && !told.server_tool_use) return undefined;
    return { ...told, ...usageOf(prompt_tokens, completion_tokens) };
  }

  /** The parts of the prompt are the provider's, or else what probably comes from its cache. */
  #estimatedUsage(completionTokens: number): Usage {
    const { prompt_tokens, prompt_tokens_details, ...told } = this.#told;
    const usage = { ...told, ...usageOf(this.promptTokens, completionTokens) };
    const details = prompt_tokens ? prompt_tokens_details : this.#estimate.promptDetails(usage.prompt_tokens);
    if (details) usage.prompt_tokens_details = details;
    return withCalls(usage, this.calls);
  }
}

/** Whether the tokens of a prompt cost the same by either. */
function sameParts(before: Partial<Usage>, now: Partial<Usage>): boolean {
  return (
    before.service_tier === now.service_tier &&
    sameCounts(before.prompt_tokens_details, now.prompt_tokens_details) &&
    sameCounts(before.server_tool_use, now.server_tool_use)
  );
}

function sameCounts<Counts extends object>(before: Counts | undefined, now: Counts | undefined): boolean {
  if (before === now) return true;
  if (!before || !now) return false;
  for (const name in now) if (before[name] !== now[name]) return false;
  return true;
}

/** The believed counts of a usage, with their sum as the total; undefined where they were not believed. */
function complete(told: Partial<Usage>): Usage | undefined {
  const { prompt_tokens, completion_tokens } = told;
  if (prompt_tokens === undefined || completion_tokens === undefined) return undefined;
  return { ...told, prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
