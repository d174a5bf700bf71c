import { jest } from '@jest/globals';
import { AnswerBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import type { EventStream } from './event-stream.js';
import { OpenStreams } from './open-streams.js';

describe('OpenStreams', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  let ended: string[];
  let streams: OpenStreams;
  let budget: AnswerBudget;
  beforeEach(() => {
    ended = [];
    budget = new AnswerBudget(1_000_000);
    streams = new OpenStreams(budget);
  });
  afterEach(() => streams.onApplicationShutdown());

  const add = (account: string, waiting: number) => {
    const stream = {
      index: -1,
      waiting,
      tick: () => undefined,
      close: () => ended.push(`${account} ${waiting} closed`),
      owner: {
        account,
        error: () => {
          ended.push(`${account} ${waiting}`);
          streams.delete(stream as unknown as EventStream);
        },
      },
    };
    streams.add(stream as unknown as EventStream);
    return stream;
  };
  const second = () => {
    ended.length = 0;
    jest.advanceTimersByTime(1_000);
    return ended;
  };

  it('ends those of the account with an error that has most waiting, where too many bytes wait', () => {
    for (let i = 0; i < 5; i++) add('many', 150_000);
    add('one', 300_000);
    expect(second()).toEqual(['many 150000']);
  });

  it('ends those that are furthest behind first, and counts what waits as a whole too', () => {
    for (const waiting of [100_000, 400_000, 0, 500_000]) add('one', waiting);
    expect(second()).toEqual([]);
    new ByteClaim(budget, 'other').resize(700_000);
    expect(second()).toEqual(['one 500000', 'one 400000']);
  });

  it('cuts off who has not read of it a second later, before others are ended', () => {
    const [slow, reader] = [add('one', 600_000), add('one', 550_000)];
    add('other', 500_000);
    expect(second()).toEqual(['one 600000', 'one 550000']);
    reader.waiting = 0;
    expect(second()).toEqual(['one 600000 closed']);
    slow.waiting = 0;
    expect(second()).toEqual([]);
  });

  it('leaves who reads of it in time alone', () => {
    add('one', 600_000);
    const reader = add('one', 700_000);
    expect(second()).toEqual(['one 700000']);
    reader.waiting = 100_000;
    expect(second()).toEqual([]);
    reader.waiting = 0;
    expect(second()).toEqual([]);
  });
});
