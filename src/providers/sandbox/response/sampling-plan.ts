import { randomInt } from 'node:crypto';
import type { GenerationRequest } from '../../../wire/generation.js';
import { Random } from '../language/random.js';
import { Sampler } from '../language/sampler.js';
import type { Vocabulary } from '../language/vocabulary.js';

/**
 * How the choices of one request are drawn. Temperature 0 involves no chance: its seed is constant, and all choices are
 * the same.
 */
export class SamplingPlan {
  /** The seed for what is not drawn token by token. */
  readonly seed: string;
  readonly #logitBias: ReadonlyMap<number, number>;

  /** @param unknownToken is called for a bias on a token id that the vocabulary does not have */
  constructor(
    private readonly request: GenerationRequest,
    vocabulary: Vocabulary,
    unknownToken: (token: string) => void,
  ) {
    this.seed = request.temperature === 0 ? 'greedy' : String(request.seed ?? randomInt(2 ** 48 - 1));
    const bias = new Map<number, number>();
    for (const [token, value] of Object.entries(request.logit_bias ?? {})) {
      const id = Number(token);
      if (Number.isInteger(id) && id >= 0 && id < vocabulary.size) bias.set(id, value);
      else unknownToken(token);
    }
    this.#logitBias = bias;
  }

  /** The random numbers of one choice. */
  random(choice: number): Random {
    return new Random(this.request.temperature === 0 ? this.seed : `${this.seed}:${choice}`);
  }

  sampler(choice: number): Sampler {
    const { temperature = 1, top_p = 1, presence_penalty = 0, frequency_penalty = 0 } = this.request;
    return new Sampler(
      { temperature, topP: top_p, presencePenalty: presence_penalty, frequencyPenalty: frequency_penalty, logitBias: this.#logitBias },
      this.random(choice),
    );
  }
}
