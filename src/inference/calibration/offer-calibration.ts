import { BoundedMap } from '../bounded-map.js';
import { type Amounts, tokensOf, within } from './linear-fit.js';
import { LowEstimate } from './low-estimate.js';
import { LowFit } from './low-fit.js';
import { facts as factsOfAll, type OutputPart, outputParts, type Parts, type PromptPart, promptParts, type Rates } from './rates.js';

/** One answer that its provider has counted, beside what the gateway knows of it. Times are milliseconds. */
export interface CountedAnswer {
  readonly promptTokens: number;
  /** Those of them that were read from the provider's cache. */
  readonly cachedTokens: number;
  /** Whether the cache probably had the beginning of the prompt. */
  readonly mayBeCached: boolean;
  readonly completionTokens: number;
  /** Those of them that the client does not see, where the provider says so. */
  readonly reasoningTokens: number | undefined;
  readonly prompt: Amounts<PromptPart>;
  readonly output: Amounts<OutputPart>;
  readonly images: number;
  /** Until the first token; undefined where the answer is not streamed. */
  readonly silence: number | undefined;
  readonly total: number;
}

/** Answers that are counted before the facts give way. */
export const ENOUGH = 20;

/** An account with fewer answers has no say, while others have. */
const FEW = 5;

/** Accounts whose answers are remembered apart. */
const MAX_ACCOUNTS = 16;

/** What tokenizers in use come to, beyond which no answer is believed. */
const bounds = { image: [0, 5_000], rate: [0, 1], share: [0, 1] } as const;

/** A rate of time is a mean; this share of it is charged. */
const RATE_SHARE = 0.75;

/**
 * Times as many tokens as the longest prompt of an account may be in a cache: conversations grow, and of eight answers
 * one is learned from.
 */
const GROWTH = 2;

/** Answers after which a long prompt is forgotten, at the latest after as many again. */
const LONGEST = 64;

/** What one account's answers say. */
class AccountCounts {
  readonly prompt = new LowFit(promptParts);
  readonly output = new LowFit(outputParts);
  readonly image = new LowEstimate();
  readonly whole = new LowEstimate();
  /** Shares of prompts that were not read from a cache: of those that it may have, and of the others. */
  readonly uncached = { later: new LowEstimate(), first: new LowEstimate() };
  hiddenTokens = 0;
  silentMs = 0;
  answers = 0;
  /** What holds for the account; undefined where it has to be made again. */
  rates: Rates | undefined;
  #longest = 0;
  #longestBefore = 0;

  /** Tokens of its longest prompt lately. */
  get longest(): number {
    return Math.max(this.#longest, this.#longestBefore);
  }

  see(answer: CountedAnswer, rates: Rates): void {
    const { promptTokens, completionTokens, prompt, output, images, silence, total } = answer;
    if (this.answers++ % LONGEST === 0) [this.#longestBefore, this.#longest] = [this.#longest, 0];
    this.#longest = Math.max(this.#longest, promptTokens);
    if (promptTokens > 0) {
      if (images === 0) this.prompt.see(prompt, promptTokens);
      else this.image.see(within((promptTokens - tokensOf(prompt, rates.prompt)) / images, bounds.image));
      const { later, first } = this.uncached;
      (answer.mayBeCached ? later : first).see(within(1 - answer.cachedTokens / promptTokens, bounds.share));
    }
    const hidden = hiddenTokens(answer);
    if (completionTokens > hidden) this.output.see(output, completionTokens - hidden);
    if (silence === undefined) this.whole.see(within(completionTokens / Math.max(1, total), bounds.rate));
    else {
      // By time, so that requests that do not reason say little of those that do.
      this.hiddenTokens += hidden;
      this.silentMs += silence;
      if (this.answers % 64 === 0) {
        this.hiddenTokens /= 2;
        this.silentMs /= 2;
      }
    }
  }

  get hiddenRate(): number {
    return this.silentMs > 0 ? within((RATE_SHARE * this.hiddenTokens) / this.silentMs, bounds.rate) : 0;
  }
}

/**
 * Learns from the provider's own counts how an offer counts. Each account has one voice, and the median of the accounts
 * holds, so that no account teaches it wrongly for others. Its size is fixed.
 */
export class OfferCalibration {
  readonly #accounts = new BoundedMap<string, AccountCounts>(MAX_ACCOUNTS);
  #answers = 0;
  #rates: Rates;
  #asked = 0;

  /** @param facts what counts before, and later of all that no answer has told */
  constructor(private readonly facts: Rates = factsOfAll) {
    this.#rates = facts;
  }

  get wants(): boolean {
    return this.#answers < 4 * ENOUGH || this.#asked++ % 8 === 0;
  }

  get rates(): Rates {
    return this.#rates;
  }

  /** What holds for an account, whose own prompts tell how much of one may be in a cache. */
  ratesOf(account: string): Rates {
    const counts = this.#accounts.get(account);
    if (!this.#rates.learned || !counts || counts.answers < FEW) return this.#rates;
    return (counts.rates ??= { ...this.#rates, mostCached: GROWTH * counts.longest });
  }

  learn(account: string, answer: CountedAnswer): void {
    this.#answers++;
    const counts = this.#accounts.get(account) ?? new AccountCounts();
    // The account that has answered last is the last of the map.
    this.#accounts.delete(account);
    this.#accounts.set(account, counts);
    counts.see(answer, this.#rates);
    counts.rates = undefined;
    if (this.#answers < ENOUGH || (this.#answers >= 4 * ENOUGH && this.#answers % 16 > 0)) return;
    this.#rates = this.#learned();
    for (const one of this.#accounts.values()) one.rates = undefined;
  }

  #learned(): Rates {
    const { prompt, output, image, whole, uncached } = this.facts;
    return {
      learned: true,
      prompt: this.#lowest(promptParts, prompt, (counts) => counts.prompt),
      output: this.#lowest(outputParts, output, (counts) => counts.output),
      image: this.#voice((counts) => counts.image, image, bounds.image),
      hidden: median([...this.#accounts.values()].map(({ hiddenRate }) => hiddenRate)) ?? 0,
      whole: RATE_SHARE * this.#voice((counts) => counts.whole, whole, bounds.rate),
      uncached: {
        later: this.#voice((counts) => counts.uncached.later, uncached.later, bounds.share),
        first: this.#voice((counts) => counts.uncached.first, uncached.first, bounds.share),
      },
      mostCached: GROWTH * median([...this.#accounts.values()].map(({ longest }) => longest))!,
    };
  }

  /** Of each part what those accounts say whose answers had it; of others the facts. */
  #lowest<Name extends string>(parts: Parts<Name>, otherwise: Amounts<Name>, of: (counts: AccountCounts) => LowFit<Name>): Amounts<Name> {
    const rates: Record<Name, number> = { ...otherwise };
    const all = [...this.#accounts.values()].map(of);
    for (const name in parts) {
      const heard = all.filter((fit) => fit.heard(name) >= FEW);
      const low = median(heard.map((fit) => fit.low(name)));
      if (low !== undefined) rates[name] = within(low, parts[name].range);
    }
    return rates;
  }

  #voice(of: (counts: AccountCounts) => LowEstimate, otherwise: number, range: readonly [number, number]): number {
    const all = [...this.#accounts.values()].map(of);
    const heard = all.filter(({ count }) => count >= FEW);
    const low = median(heard.map((estimate) => estimate.low));
    return low === undefined ? otherwise : within(low, range);
  }
}

/** Tokens that the client does not see. */
function hiddenTokens({ completionTokens, reasoningTokens, output }: CountedAnswer): number {
  if (reasoningTokens !== undefined) return Math.min(reasoningTokens, completionTokens);
  // Nothing that was delivered has that many tokens.
  const weight = output.latin + output.other;
  const most = outputParts.latin.range[1] * weight + outputParts.calls.range[1] * output.calls + 64;
  return completionTokens > most ? completionTokens - weight : 0;
}

/** The lower one of two in the middle. */
function median(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[(values.length - 1) >> 1];
}
