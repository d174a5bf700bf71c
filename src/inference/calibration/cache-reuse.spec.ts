import { Random } from '../../../test/torture/random.js';
import { charge, parsePrice } from '../../common/prices/credits.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import type { Message } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import { UpstreamMeter } from '../attempts/upstream-meter.js';
import { mayBeCached } from './cache-reuse.js';
import { OfferCalibration } from './offer-calibration.js';
import { facts, factsOfCaching, type Rates } from './rates.js';
import { LowEstimate } from './low-estimate.js';

const ceiling = { prompt: 1e6, completion: 1e6, possibleCompletion: 1e6 };
/** What Claude costs in proportion. */
const price = parsePrice({ prompt: '0.003', completion: '0.015', cached_input: '0.0003', cache_write_5m: '0.00375' });
const cost = (usage: Usage): number =>
  Number(charge(price, usage.prompt_tokens, usage.completion_tokens, partsOf(price, [usage], { startedAt: 0 })));

const sentence = 'The harbour was quiet when the first boats came back, and nobody on the pier asked how the night had been. ';
const system: Message = { role: 'system', content: sentence.repeat(100) };
const mark = { cache_control: { type: 'ephemeral' } };
/** Turn by turn, 1 is the first. */
const turn = (number: number, more: object = {}): ChatGenerationRequest => {
  const earlier = Array.from({ length: number - 1 }, (): Message[] => [
    { role: 'user', content: sentence },
    { role: 'assistant', content: sentence.repeat(3) },
  ]).flat();
  const messages: Message[] = [{ ...system, ...more }, ...earlier, { role: 'user', content: sentence }];
  return { operation: 'chat', model: 'm', stream: true, n: 1, messages };
};
const bytesOf = ({ messages }: ChatGenerationRequest): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content as string), 0);
const tokensIn = (request: ChatGenerationRequest): number => Math.ceil(bytesOf(request) / 4.2);

function metered(request: ChatGenerationRequest, rates: Rates): UpstreamMeter {
  const meter = new UpstreamMeter(request, bytesOf(request), ceiling, rates);
  meter.see({ choices: [{ index: 0, delta: { content: sentence }, finish_reason: null }] });
  return meter;
}

/** What a vendor counts of an agent's turn: what the one before had is read, or all is written again. */
function countOf(number: number, more: object, hit: boolean): Usage {
  const all = tokensIn(turn(number, more));
  const read = hit ? (number === 1 ? Math.floor(0.9 * all) : tokensIn(turn(number - 1, more))) : 0;
  const usage = usageOf(all, 60);
  usage.prompt_tokens_details = { cached_tokens: read, cache_creation_tokens: all - read };
  return usage;
}

describe('mayBeCached', () => {
  it.each<[string, ChatGenerationRequest, boolean]>([
    ['a first turn', turn(1), false],
    ['a later turn', turn(2), true],
    ['a first turn that is marked', turn(1, mark), true],
  ])('of %s', (_, request, expected) => expect(mayBeCached(request, bytesOf(request))).toBe(expected));

  it('is not true of prompts that are too short for any cache', () => {
    expect(mayBeCached(turn(2, mark), 4_095)).toBe(false);
  });
});

describe('the cost of a prompt that nobody has counted', () => {
  const estimate = (request: ChatGenerationRequest, rates: Rates) => cost(metered(request, rates).delivered);
  const atBase = (request: ChatGenerationRequest, rates: Rates) => {
    const { prompt_tokens, completion_tokens } = metered(request, rates).delivered;
    return cost(usageOf(prompt_tokens, completion_tokens));
  };

  it.each<[string, object]>([
    ['with marks', mark],
    ['without', {}],
  ])('is at or below an agent’s bill in 95 of 100 turns %s, before and after 20 were counted', (_, more) => {
    const calibration = new OfferCalibration(factsOfCaching);
    const sums = { got: 0, due: 0, turns: 0, above: 0 };
    const [before, after] = [{ ...sums }, { ...sums }];
    for (let answers = 0; answers < 400; answers++) {
      const number = 1 + (answers % 12);
      // One conversation in ten comes after its cache has ended.
      const usage = countOf(number, more, number > 1 ? answers % 10 > 0 : answers > 0 && more === mark);
      const request = turn(number, more);
      const account = `account ${answers % 3}`;
      const sum = answers < 20 ? before : after;
      const got = estimate(request, calibration.ratesOf(account));
      sum.got += got;
      sum.due += cost(usage);
      sum.turns++;
      if (got > cost(usage)) sum.above++;
      expect(got).toBeLessThanOrEqual(atBase(request, calibration.rates));
      const meter = metered(request, calibration.rates);
      meter.see({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
      calibration.learn(account, meter.counted!);
    }
    expect(before.above / before.turns).toBeLessThanOrEqual(0.05);
    expect(after.above / after.turns).toBeLessThanOrEqual(0.05);
    expect(after.got / after.due).toBeGreaterThan(0.5);
  });

  const learned = (calibration: OfferCalibration, account: string, request: ChatGenerationRequest, usage: Usage) => {
    const meter = metered(request, calibration.ratesOf(account));
    meter.see({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
    calibration.learn(account, meter.counted!);
  };

  /** A prompt of so many bytes of text, with a mark, of which so much was read from the cache. */
  const document = (bytes: number): ChatGenerationRequest => ({
    ...turn(1),
    messages: [{ role: 'user', content: sentence.repeat(bytes / sentence.length), ...mark }],
  });
  const documentUsage = (request: ChatGenerationRequest, read: number): Usage => {
    const all = tokensIn(request);
    const cached = Math.floor(read * all);
    return { ...usageOf(all, 60), prompt_tokens_details: { cached_tokens: cached, cache_creation_tokens: all - cached } };
  };

  it.each([
    ['alone', 0],
    ['beside two that have short prompts as well', 2],
  ])('cannot be made low for a long prompt by small ones that were in the cache, by an account %s', (_, others) => {
    const calibration = new OfferCalibration(factsOfCaching);
    for (let answers = 0; answers < 40; answers++) {
      learned(calibration, 'attacker', document(4_500), documentUsage(document(4_500), 0.98));
      for (let other = 0; other < others; other++)
        learned(calibration, `other ${other}`, document(6_000), documentUsage(document(6_000), 0.98));
    }
    const large = document(58_000);
    const due = cost(documentUsage(large, 0));
    for (const account of ['attacker', ...(others > 0 ? ['a new one'] : [])]) {
      const got = estimate(large, calibration.ratesOf(account));
      expect(got / due).toBeGreaterThan(0.5);
      expect(got / due).toBeLessThanOrEqual(1);
    }
  });

  it.each<[string, object, number]>([
    ['one account, with marks', mark, 1],
    ['one account, without', {}, 1],
    ['five accounts, with marks', mark, 5],
    ['five accounts, without', {}, 5],
  ])('is at or below the bills of agents with many conversations at once, of %s, in 95 of 100 turns', (_, more, accounts) => {
    const random = new Random(accounts);
    const calibration = new OfferCalibration(factsOfCaching);
    // Most have some turns; few have a hundred, of which each is longer than the one before.
    let opened = 0;
    const conversation = () => ({
      turn: 0,
      account: `account ${opened++ % accounts}`,
      turns: random.pick([1, 3, 12, 30, 100]),
    });
    const open = Array.from({ length: 10 * accounts }, conversation);
    const sum = { got: 0, due: 0, turns: 0, above: 0 };
    for (let answers = 0; answers < 3_000; answers++) {
      const index = random.between(0, open.length - 1);
      if (open[index]!.turn === open[index]!.turns) open[index] = conversation();
      const one = open[index]!;
      one.turn++;
      const request = turn(one.turn, more);
      // Conversations share a system prompt, and one turn in twenty comes after the cache has ended.
      const usage = countOf(one.turn, more, (one.turn > 1 || (answers > 0 && more === mark)) && random.next() > 0.05);
      if (answers >= 20) {
        const got = estimate(request, calibration.ratesOf(one.account));
        sum.got += got;
        sum.due += cost(usage);
        sum.turns++;
        if (got > cost(usage)) sum.above++;
      }
      if (calibration.wants) learned(calibration, one.account, request, usage);
    }
    expect(sum.above / sum.turns).toBeLessThanOrEqual(0.05);
    expect(sum.got / sum.due).toBeGreaterThan(0.5);
  });

  it('is the base price where a vendor reads nothing from a cache', () => {
    const calibration = new OfferCalibration(factsOfCaching);
    for (let answers = 0; answers < 40; answers++) {
      const meter = metered(turn(3), calibration.rates);
      meter.see({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: usageOf(tokensIn(turn(3)), 60) });
      calibration.learn(`account ${answers % 3}`, meter.counted!);
    }
    expect(estimate(turn(3), calibration.rates)).toBe(atBase(turn(3), calibration.rates));
  });

  it('is the base price, and no guess is told, where the offer has no price of reading', () => {
    expect(metered(turn(3, mark), facts).delivered).not.toHaveProperty('prompt_tokens_details');
  });

  it('cannot be raised for others by one account of three', () => {
    const calibration = new OfferCalibration(factsOfCaching);
    const learn = (account: string, usage: Usage) => {
      const meter = metered(turn(3, mark), calibration.rates);
      meter.see({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
      calibration.learn(account, meter.counted!);
    };
    for (let answers = 0; answers < 40; answers++) for (const account of ['one', 'two']) learn(account, countOf(3, mark, true));
    const { uncached } = calibration.rates;
    for (let answers = 0; answers < 200; answers++) learn('wrong', countOf(3, mark, false));
    expect(calibration.rates.uncached).toEqual(uncached);
  });
});

/** The share of values that are below an estimate which has seen so many others. */
function shareBelow(seen: number, value: (random: Random) => number): number {
  const random = new Random(seen);
  let below = 0;
  for (let round = 0; round < 500; round++) {
    const estimate = new LowEstimate();
    for (let answer = 0; answer < seen; answer++) estimate.see(value(random));
    const { low } = estimate;
    for (let answer = 0; answer < 40; answer++) if (value(random) < low) below++;
  }
  return below / (500 * 40);
}

describe('a low estimate', () => {
  it.each<[string, (random: Random) => number]>([
    ['of one kind', (random) => random.next()],
    ['of four kinds', (random) => random.pick([0.7, 0.8, 1, 1.2]) + 0.02 * random.next()],
    ['with few that are low', (random) => (random.next() < 0.1 ? 0.4 : 1) + 0.1 * random.next()],
    ['with few that are high', (random) => 1 / (0.2 + random.next())],
  ])('is above one in 20 of values %s', (_, value) => {
    for (const seen of [20, 64, 200]) {
      const share = shareBelow(seen, value);
      expect(share).toBeLessThan(0.06);
      expect(share).toBeGreaterThan(0.025);
    }
  });

  it('forgets what was long ago', () => {
    const estimate = new LowEstimate();
    for (let value = 0; value < 100; value++) estimate.see(value);
    expect(estimate.low).toBeGreaterThanOrEqual(36);
    expect(estimate.count).toBe(100);
  });

  it('is the lowest of few, and 0 of none', () => {
    const estimate = new LowEstimate();
    expect(estimate.low).toBe(0);
    for (const value of [3, 2, 5]) estimate.see(value);
    expect(estimate.low).toBe(2);
  });
});
