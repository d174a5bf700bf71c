import fc from 'fast-check';
import type { CompletionLogprobs } from '../wire/completion.js';
import type { GenerationChoice } from '../wire/generation.js';
import { bestOf } from './best-of.js';

const choiceOf = (token_logprobs: (number | null)[], index: number): GenerationChoice => ({
  index,
  text: 'x'.repeat(token_logprobs.length),
  logprobs: {
    tokens: token_logprobs.map(() => 'x'),
    token_logprobs,
    top_logprobs: null,
    text_offset: token_logprobs.map((_, offset) => offset),
  },
  finish_reason: 'stop',
});

const logprob = fc.double({ min: -50, max: 0, noNaN: true });
const choices = fc
  .array(fc.array(logprob, { maxLength: 8 }), { minLength: 1, maxLength: 12 })
  .map((all) => all.map((each, index) => choiceOf(each, index)));
const mean = ({ logprobs }: GenerationChoice): number | undefined => {
  const { token_logprobs: tokens } = logprobs as CompletionLogprobs;
  return tokens.length === 0 ? undefined : tokens.reduce<number>((sum, token) => sum + token!, 0) / tokens.length;
};

describe('bestOf', () => {
  it('picks by log probability per token, not by the sum', () => {
    const short = choiceOf([-3], 0);
    const long = choiceOf([-1, -1, -1, -1], 1);
    expect(bestOf([short, long], 1, 'lowest')).toEqual([short]);
    expect(bestOf([short, long], 1, 'highest')).toEqual([long]);
  });

  it.each(['lowest', 'highest'] as const)('picks the %s, in the order of their rank', (ranking) => {
    fc.assert(
      fc.property(choices, fc.nat(12), (all, n) => {
        const picked = bestOf(all, n, ranking);
        expect(picked).toHaveLength(Math.min(n, all.length));
        const rest = all.filter((choice) => !picked.includes(choice));
        const rank = (choice: GenerationChoice): number => {
          const value = mean(choice);
          if (value === undefined) return Number.POSITIVE_INFINITY;
          return ranking === 'lowest' ? value : -value;
        };
        const order = [...picked, ...rest.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))].map(rank);
        for (let place = 1; place < order.length; place++) expect(order[place - 1]! <= order[place]!).toBe(true);
      }),
    );
  });

  it('keeps the order of equal choices', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), logprob, fc.constantFrom('lowest', 'highest'), (count, value, ranking) => {
        const equal = Array.from({ length: count }, (_, index) => choiceOf([value, value], index));
        expect(bestOf(equal, count, ranking)).toEqual(equal);
      }),
    );
  });

  it.each(['lowest', 'highest'] as const)('ranks choices without a generated token last (%s)', (ranking) => {
    const empty = choiceOf([], 0);
    const unlikely = choiceOf([-40], 1);
    const likely = choiceOf([0], 2);
    expect(bestOf([empty, unlikely, likely], 3, ranking).at(-1)).toBe(empty);
    expect(bestOf([empty], 1, ranking)).toEqual([empty]);
  });

  it('does not count an echoed prompt', () => {
    const [echoed, other] = [choiceOf([null, -9, -1, -2], 0), choiceOf([null, -1, -1.6, -1.6], 1)];
    expect(bestOf([echoed, other], 1, 'highest', 2)).toEqual([echoed]);
    expect(bestOf([echoed, other], 1, 'highest')).toEqual([other]);
  });

  it.each([[null], [undefined]])('ranks a choice whose logprobs are %p last', (logprobs) => {
    const without = { ...choiceOf([-1], 0), logprobs };
    expect(bestOf([without, choiceOf([-40], 1)], 2, 'highest')[1]).toBe(without);
  });
});
