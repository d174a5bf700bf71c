import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, Found } from '../attack.ts';
import { isDone, messages } from '../customer.ts';
import type { Exchange } from '../exchange.ts';
import { costOf } from '../prices.ts';

const group = '1 counts';
const TEXT = 'An answer of some words that are counted. '.repeat(10);

interface Lie {
  readonly name: string;
  readonly short?: boolean;
  /** Says the counts, in chunks of their own; `true` are those that are true. */
  readonly tell: (exchange: Exchange) => Promise<void>;
  /** Tokens that are due of a prompt and an answer of so many. */
  readonly due?: (prompt: number, said: number) => bigint;
  readonly share?: Found['share'];
}

/** Where a count is no number, our own is charged, which errs on the customer's side. */
const estimated = [0.3, 1] as const;

const lies: readonly Lie[] = [
  { name: 'negative counts', tell: (one) => one.usage({ prompt_tokens: -5, completion_tokens: -7 }), share: [0, 1] },
  { name: 'fractions', tell: (one) => one.usage({ prompt_tokens: one.prompt - 0.5, completion_tokens: one.said - 0.25 }) },
  { name: 'no count', tell: () => Promise.resolve(), share: estimated },
  { name: 'counts that are texts', tell: (one) => one.usage({ prompt_tokens: '10', completion_tokens: '10' }), share: [0, 1] },
  { name: 'counts that are null', tell: (one) => one.usage({ prompt_tokens: null, completion_tokens: null }), share: [0, 1] },
  {
    name: 'the count a second late',
    short: true,
    async tell(one) {
      await wait(1_000);
      await one.usage();
    },
  },
  {
    name: 'the count twice',
    async tell(one) {
      await one.usage();
      await one.usage();
    },
  },
  {
    name: 'a count that grows',
    async tell(one) {
      for (const part of [0.1, 0.5, 0.9]) await one.usage({ prompt_tokens: one.prompt, completion_tokens: Math.floor(one.said * part) });
      await one.usage();
    },
  },
  {
    name: 'a count that shrinks',
    async tell(one) {
      await one.usage({ prompt_tokens: one.prompt, completion_tokens: one.said * 10 });
      await one.usage();
    },
    // Which of the two is true nobody can know: the most of each count holds (src/billing/README.md).
    due: (prompt, said) => costOf(prompt, said * 10),
    share: [0.95, 1],
  },
  {
    name: 'parts that are more than the whole',
    tell: (one) => one.usage({ ...one.counts, completion_tokens_details: { reasoning_tokens: 10_000_000 } }),
  },
  { name: 'a total that does not add up', tell: (one) => one.usage({ ...one.counts, total_tokens: 5 }) },
  {
    name: 'more cached tokens than there were',
    tell: (one) => one.usage({ ...one.counts, prompt_tokens_details: { cached_tokens: 10_000_000 } }),
    share: [0, 1],
  },
];

export const countAttacks: readonly Attack[] = lies.map(({ name, short, tell, due, share }): Attack => ({
  group,
  name,
  short,
  async run(scene) {
    scene.provider.plays(async (exchange) => {
      await exchange.say(TEXT);
      await exchange.finish();
      await tell(exchange);
      exchange.end();
    });
    const answers = await scene.many(5, 5, () =>
      scene.ask({ model: 'lies', stream: true, messages: messages('Please tell me everything that you know of it.') }),
    );
    const whole = answers.filter(isDone).length;
    const own = due ? scene.provider.seen.reduce((sum, { prompt, said }) => sum + due(prompt, said), 0n) : scene.provider.due;
    return { got: `${whole} of 5 answers`, due: whole === 0 ? costOf(0, 0) : own, share };
  },
}));
