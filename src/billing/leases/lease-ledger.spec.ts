import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import { started } from '../../common/testing/started.js';
import { ApiError } from '../../common/api-error.js';
import { longForm } from '../../common/testing/long-form.js';
import { ManualClock } from '../../common/testing/manual-clock.js';
import type { Hold, HoldRequest, Outcome } from '../hold/ledger.js';
import { LedgerBench, request, settlement } from '../testing/ledger-bench.js';
import { MAX_BATCH } from './ledger-batch.js';

const refusal = (code: string) => expect.objectContaining({ code });
const free = { prompt: 0n, completion: 0n };

describe('the ledger', () => {
  // Each test has customers of its own.
  const bench = started(() => LedgerBench.start(), 'stop');

  afterEach(() => jest.restoreAllMocks());

  it('puts the worst case aside, charges what was used and gives back the rest', async () => {
    const principal = await bench.customer(100n);
    const asked = request(principal, { promptTokens: 20, maxTokens: 30, choices: 2 });
    const hold = await bench.ledger.hold(asked);
    expect(hold).toMatchObject({ amount: 80n, maxTokens: 30 });
    expect(hold.settle(settlement('completed', 15, 25))).toBe(40n);
    expect(await bench.ledger.hold(request(principal, { maxTokens: 60 }))).toMatchObject({ amount: 60n });
    await bench.written();
    expect(await bench.balance(principal)).toMatchObject({ posted: 60n });
    expect(await bench.usage(asked.requestId)).toMatchObject([
      { account_id: principal.accountId, key_id: principal.keyId, amount: 40n, hold: 80n, prompt_tokens: 15n, completion_tokens: 25n },
    ]);
    expect((await bench.verify()).findings).toEqual([]);
  });

  it('holds and settles in memory once it has a lease, and takes an eighth at most beside what is needed', async () => {
    const principal = await bench.customer(800n);
    await bench.ledger.hold(request(principal, { maxTokens: 80 }));
    expect(await bench.balance(principal)).toEqual({ posted: 800n, leased: 80n + 90n });
    const hold = bench.ledger.hold(request(principal, { maxTokens: 40 }));
    expect(hold).not.toBeInstanceOf(Promise);
    expect((hold as Hold).settle(settlement('completed', 0, 40))).toBe(40n);
  });

  it('settles once, however often it is told', async () => {
    const principal = await bench.customer(100n);
    const hold = await bench.ledger.hold(request(principal));
    expect(hold.settle(settlement('completed', 0, 4))).toBe(4n);
    expect(hold.settle(settlement('completed', 0, 9))).toBe(4n);
    expect(hold.settle(settlement('provider_failed', 0, 0))).toBe(4n);
    await bench.written();
    expect(await bench.balance(principal)).toMatchObject({ posted: 96n });
  });

  it('stores what is known of a request with its charge, unless that is on its way', async () => {
    const principal = await bench.customer(100n);
    const asked = request(principal);
    const hold = await bench.ledger.hold(asked);
    const record = JSON.stringify([1, 2, null, 0, 200, null, '[]', '[]']);
    expect(hold.keepRecord(record)).toBe(false);
    const charged = { outcome: 'completed', duration_ms: 2n, status: 200n, attempts: '[]' };
    hold.settle(settlement('completed', 0, 4));
    expect(hold.keepRecord(record)).toBe(true);
    await bench.written();
    expect(hold.keepRecord(record)).toBe(false);
    expect(await bench.usage(asked.requestId)).toMatchObject([{ amount: 4n, ...charged }]);
  });

  it('writes a charge without its record where the store refuses that, and the others with theirs', async () => {
    const refused = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const principal = await bench.customer(100n);
    const asked = Array.from({ length: 3 }, () => request(principal));
    for (const [index, one] of asked.entries()) {
      const hold = await bench.ledger.hold(one);
      hold.settle(settlement('completed', 0, 4));
      expect(hold.keepRecord(JSON.stringify([index === 1 ? 'a while ago' : 1, 2, null, 0, 200, null, '[]', '[]']))).toBe(true);
    }
    await bench.written();
    const stored = await Promise.all(asked.map(async ({ requestId }) => (await bench.usage(requestId))[0]));
    expect(stored.map((row) => [row!.amount, row!.began_at])).toEqual([[4n, 1n], [4n, null], [4n, 1n]]); // prettier-ignore
    expect(refused.mock.calls).toEqual([[expect.stringMatching(`${asked[1]!.requestId} with its record`)]]);
    refused.mockRestore();
  });

  it('waits for the records of as many requests as one transaction takes', async () => {
    // Its clock stands: the writer does not look for requests that are open for long, and writes nothing by itself.
    const still = await LedgerBench.start(undefined, undefined, new ManualClock());
    const principal = await still.customer(1_000n);
    await still.ledger.hold(request(principal, { maxTokens: 600 }));
    const holds: Hold[] = [];
    while (holds.length < MAX_BATCH) holds.push(await still.ledger.hold(request(principal, { maxTokens: 1 })));
    await still.written();
    for (const hold of holds) hold.settle(settlement('completed', 0, 1));
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    const record = JSON.stringify([1, 2, null, 0, 200, null, '[]', '[]']);
    expect(holds.filter((hold) => hold.keepRecord(record))).toHaveLength(MAX_BATCH);
    expect(still.ledger.unwritten).toBe(MAX_BATCH);
    await still.clock.until(() => still.ledger.unwritten === 0, 4);
    await still.stop();
  });

  it('refuses with 402 exactly what does not fit, after what is waiting to be settled', async () => {
    const principal = await bench.customer(10n);
    const hold = await bench.ledger.hold(request(principal, { maxTokens: 10 }));
    const refused = await Promise.resolve(bench.ledger.hold(request(principal, { maxTokens: 1 }))).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'insufficient_credits', status: 402, advice: { retryAfter: 1 } });
    hold.settle(settlement('completed', 0, 3));
    expect((await bench.ledger.hold(request(principal, { maxTokens: 7 }))).amount).toBe(7n);
    await expect(bench.ledger.hold(request(principal, { maxTokens: 8 }))).rejects.toEqual(refusal('insufficient_credits'));
    const broke = await Promise.resolve(bench.ledger.hold(request(principal, { maxTokens: 11 }))).catch((error: unknown) => error);
    expect(broke).toMatchObject({ advice: {} });
  });

  it('takes new credits into account at once', async () => {
    const principal = await bench.customer(0n);
    await expect(bench.ledger.hold(request(principal))).rejects.toEqual(refusal('insufficient_credits'));
    await bench.grant(principal, 10n);
    expect(await bench.ledger.hold(request(principal))).toMatchObject({ amount: 10n });
  });

  it('lowers max_tokens to what can be paid, if the client named none', async () => {
    const principal = await bench.customer(25n);
    const asked = { promptTokens: 5, choices: 2, maxTokens: 1000, maxTokensMayShrink: true };
    expect(await bench.ledger.hold(request(principal, asked))).toMatchObject({ maxTokens: 10, amount: 25n });
    await expect(bench.ledger.hold(request(principal, asked))).rejects.toEqual(refusal('insufficient_credits'));
  });

  it('lowers max_tokens to what the account has, not to what is leased', async () => {
    const principal = await bench.customer(800n);
    (await bench.ledger.hold(request(principal, { maxTokens: 8 }))).settle(settlement('completed', 0, 0));
    const asked = request(principal, { maxTokens: 10_000, maxTokensMayShrink: true });
    expect(await bench.ledger.hold(asked)).toMatchObject({ maxTokens: 800, amount: 800n });
  });

  it('serves free models from an empty account, without a wait', async () => {
    const principal = await bench.customer(0n);
    const asked = request(principal, { price: free, maxTokensMayShrink: true });
    const hold = bench.ledger.hold(asked) as Hold;
    expect(hold).toMatchObject({ amount: 0n, maxTokens: 10 });
    hold.settle(settlement('completed', 5, 5));
    await bench.written();
    expect(await bench.usage(asked.requestId)).toMatchObject([{ amount: 0n, completion_tokens: 5n }]);
  });

  it('lets exactly as many of 200 concurrent requests through as the account can pay for', async () => {
    const principal = await bench.customer(100n);
    const attempts = await Promise.allSettled(
      Array.from({ length: 200 }, async () => bench.ledger.hold(request(principal, { maxTokens: 10 }))),
    );
    const holds = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(holds).toHaveLength(10);
    for (const attempt of attempts) if (attempt.status === 'rejected') expect(attempt.reason).toEqual(refusal('insufficient_credits'));
    for (const hold of holds) expect(hold.settle(settlement('completed', 0, 10))).toBe(10n);
    await bench.written();
    expect(await bench.balance(principal)).toEqual({ posted: 0n, leased: 0n });
    expect((await bench.verify()).findings).toEqual([]);
  });

  it('holds the environments apart', async () => {
    const principal = await bench.customer(100n, 'test');
    await expect(bench.ledger.hold(request({ ...principal, environment: 'live' }))).rejects.toEqual(refusal('insufficient_credits'));
  });

  describe('where a provider counts more than was held', () => {
    const counted = async (requestId: string) =>
      (await bench.usage(requestId)).map(({ hold, amount, collected, uncollected }) => ({ hold, amount, collected, uncollected }));

    it('collects the rest: first what its lease has free, then what the account has beside it', async () => {
      const principal = await bench.customer(800n);
      const asked = request(principal, { maxTokens: 80 });
      const hold = await bench.ledger.hold(asked);
      expect(await bench.balance(principal)).toEqual({ posted: 800n, leased: 170n });
      expect(hold.settle(settlement('completed', 0, 500))).toBe(500n);
      await bench.written();
      expect(await counted(asked.requestId)).toEqual([{ hold: 80n, amount: 500n, collected: 420n, uncollected: 0n }]);
      expect(await bench.balance(principal)).toEqual({ posted: 300n, leased: 0n });
      expect((await bench.verify()).findings).toEqual([]);
    });

    it('records what the account does not have, and leaves it nothing below zero', async () => {
      const principal = await bench.customer(800n);
      const asked = request(principal, { maxTokens: 80 });
      expect((await bench.ledger.hold(asked)).settle(settlement('completed', 0, 5_000))).toBe(5_000n);
      await bench.written();
      expect(await counted(asked.requestId)).toEqual([{ hold: 80n, amount: 800n, collected: 720n, uncollected: 4_200n }]);
      expect(await bench.balance(principal)).toEqual({ posted: 0n, leased: 0n });
      expect((await bench.verify()).findings).toEqual([]);
    });

    it('touches nothing that other requests hold', async () => {
      const principal = await bench.customer(800n);
      const [greedy, modest] = [request(principal, { maxTokens: 80 }), request(principal, { maxTokens: 300 })];
      const [one, other] = [await bench.ledger.hold(greedy), await bench.ledger.hold(modest)];
      one.settle(settlement('completed', 0, 5_000));
      await bench.written();
      expect(await counted(greedy.requestId)).toEqual([{ hold: 80n, amount: 500n, collected: 420n, uncollected: 4_500n }]);
      expect(other.settle(settlement('completed', 0, 300))).toBe(300n);
      await bench.written();
      expect(await counted(modest.requestId)).toEqual([{ hold: 300n, amount: 300n, collected: 0n, uncollected: 0n }]);
      expect(await bench.balance(principal)).toEqual({ posted: 0n, leased: 0n });
      expect((await bench.verify()).findings).toEqual([]);
    });

    it('collects nothing for what the gateway itself has counted', async () => {
      const principal = await bench.customer(800n);
      const asked = request(principal, { maxTokens: 80 });
      expect((await bench.ledger.hold(asked)).settle({ ...settlement('completed', 0, 5_000), estimated: true })).toBe(80n);
      await bench.written();
      expect(await counted(asked.requestId)).toEqual([{ hold: 80n, amount: 80n, collected: 0n, uncollected: 0n }]);
      expect((await bench.verify()).findings).toEqual([]);
    });

    it.each([
      [500, { hold: 80n, amount: 500n, collected: 420n, uncollected: 0n }],
      [5_000, { hold: 80n, amount: 800n, collected: 720n, uncollected: 4_200n }],
    ])('collects the same from the journal of a process that was killed: %d', async (tokens, expected) => {
      const principal = await bench.customer(800n);
      const asked = request(principal, { maxTokens: 80 });
      (await bench.ledger.hold(asked)).settle(settlement('completed', 0, tokens));
      await new Promise((resolve) => setImmediate(resolve));
      const next = await bench.afterCrash();
      expect(await next.usage(asked.requestId)).toMatchObject([expected]);
      expect(await next.balance(principal)).toEqual({ posted: 800n - expected.amount, leased: 0n });
      expect((await next.verify()).findings).toEqual([]);
      await next.stop();
    });
  });

  it('answers 503, never 402, when the store does not answer, and carries on from what is leased', async () => {
    const alone = await LedgerBench.start();
    const principal = await alone.customer(800n);
    await alone.ledger.hold(request(principal, { maxTokens: 80 }));
    await alone.database.close();
    const over = async (action: Promise<unknown>) => {
      const ends = Promise.allSettled([action]);
      let ended = false;
      void ends.then(() => (ended = true));
      await alone.clock.until(() => ended, 250);
      return (await ends)[0] as PromiseRejectedResult;
    };
    const { reason } = await over(Promise.resolve(alone.ledger.hold(request(principal, { maxTokens: 500 }))));
    expect(reason).toBeInstanceOf(ApiError);
    expect(reason).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(alone.ledger.unable).toBeUndefined();
    expect(alone.ledger.hold(request(principal, { maxTokens: 90 }))).not.toBeInstanceOf(Promise);
    expect(alone.ledger.unable).toBe('The store does not answer now.');
    await over(alone.stop());
  });

  it('keeps a request that the store refuses from holding up the others', async () => {
    const [principal, other] = [await bench.customer(800n), await bench.customer(800n)];
    const stranger = { ...other, keyId: 'key_unknown' };
    const holds = [
      await bench.ledger.hold(request(principal)),
      await bench.ledger.hold(request(stranger)),
      await bench.ledger.hold(request(other)),
    ];
    for (const hold of holds) hold.settle(settlement('completed', 0, 10));
    await bench.written().catch(() => bench.written());
    expect(await bench.balance(principal)).toMatchObject({ posted: 790n });
    expect(await bench.balance(other)).toMatchObject({ posted: 790n });
    expect((await bench.verify()).findings).toEqual([]);
  });

  it('writes what is settled and returns what is leased before the process ends', async () => {
    const ending = await LedgerBench.start();
    const principal = await ending.customer(800n);
    const hold = await ending.ledger.hold(request(principal));
    hold.settle(settlement('completed', 0, 10));
    await ending.end();
    expect(await ending.balance(principal)).toEqual({ posted: 790n, leased: 0n });
    await ending.stop();
  });

  it('settles from the journal what a killed process has left, and frees what it had leased', async () => {
    const principal = await bench.customer(800n);
    const make = (changes: Partial<HoldRequest> = {}) => request(principal, { maxTokens: 50, ...changes });
    const [delivered, cheaper, silent, settled, gratis] = [make(), make(), make(), make(), make({ price: free })];
    const hold = await bench.ledger.hold(delivered);
    await bench.ledger.hold(silent);
    const other = await bench.ledger.hold(cheaper);
    other.servedAt({ prompt: 0n, completion: 500n });
    other.progress(8, 10);
    hold.progress(3);
    (await bench.ledger.hold(settled)).settle(settlement('completed', 5, 6));
    (await bench.ledger.hold(gratis)).settle(settlement('completed', 1, 2));
    hold.progress(7, 10);
    await new Promise((resolve) => setImmediate(resolve));
    const next = await bench.afterCrash();
    expect(await next.balance(principal)).toEqual({ posted: 800n - 17n - 4n - 11n, leased: 0n });
    expect(await next.usage(delivered.requestId)).toMatchObject([
      { outcome: 'crashed', amount: 17n, completion_tokens: 7n, prompt_tokens: 10n },
    ]);
    expect(await next.usage(cheaper.requestId)).toMatchObject([{ outcome: 'crashed', amount: 4n, price_completion: 500n }]);
    expect(await next.usage(silent.requestId)).toMatchObject([{ outcome: 'crashed', amount: 0n }]);
    expect(await next.usage(settled.requestId)).toMatchObject([{ outcome: 'completed', amount: 11n }]);
    expect(await next.usage(gratis.requestId)).toMatchObject([{ outcome: 'completed', amount: 0n, completion_tokens: 2n }]);
    expect((await next.verify()).findings).toEqual([]);
    const again = await next.afterCrash();
    expect(await again.balance(principal)).toEqual({ posted: 800n - 17n - 4n - 11n, leased: 0n });
    await again.stop();
    await next.stop();
  });

  it('collects everything on SQLite, however long its process was silent: nobody else ends a lease or spends what it had', async () => {
    const principal = await bench.customer(20n);
    const [late, open] = [request(principal), request(principal)];
    const hold = await bench.ledger.hold(late);
    (await bench.ledger.hold(open)).progress(7);
    expect(await bench.balance(principal)).toEqual({ posted: 20n, leased: 20n });
    await bench.database.db.updateTable('lease').set({ expires_at: 0 }).execute();
    hold.settle(settlement('completed', 0, 10));
    await new Promise((resolve) => setImmediate(resolve));
    const next = await bench.afterCrash();
    expect(await next.usage(open.requestId)).toMatchObject([{ outcome: 'crashed', amount: 7n, uncollected: 0n }]);
    await bench.written();
    for (const one of [bench, next]) expect(await one.usage(late.requestId)).toMatchObject([{ amount: 10n, uncollected: 0n }]);
    expect((await next.verify()).findings).toEqual([]);
    await next.stop();
  });

  it('agrees with a simple model over any interleaving of holds, endings and crashes', async () => {
    const outcomes: Outcome[] = ['completed', 'client_left', 'provider_failed', 'idle_timeout', 'empty', 'shutdown'];
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ hold: fc.integer({ min: 1, max: 40 }), account: fc.nat({ max: 1 }), shrink: fc.boolean() }) },
      {
        weight: 5,
        arbitrary: fc.record({
          settle: fc.nat(),
          outcome: fc.constantFrom(...outcomes),
          tokens: fc.integer({ min: -5, max: 60 }),
          estimated: fc.boolean(),
        }),
      },
      { weight: 2, arbitrary: fc.record({ deliver: fc.nat(), tokens: fc.integer({ min: 1, max: 60 }) }) },
      { weight: 2, arbitrary: fc.constant({ wait: true }) },
    );
    const credits = fc.array(fc.nat({ max: 120 }), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), credits, async (steps, amounts) => {
        const principals = await Promise.all(amounts.map((amount) => bench.customer(BigInt(amount))));
        const left = amounts.map(BigInt);
        const open: { hold: Hold; account: number; requestId: string; delivered: number }[] = [];
        const settled = new Map<string, { account: number; due: bigint; hold: bigint }>();
        const waiting: Promise<void>[] = [];
        for (const action of steps) {
          if ('hold' in action) {
            const asked = request(principals[action.account]!, { maxTokens: action.hold, maxTokensMayShrink: action.shrink });
            const began = (hold: Hold) => void open.push({ hold, account: action.account, requestId: asked.requestId, delivered: 0 });
            const held = bench.ledger.hold(asked);
            if (held instanceof Promise)
              waiting.push(held.then(began, (error: unknown) => expect(error).toEqual(refusal('insufficient_credits'))));
            else began(held);
          } else if ('settle' in action) {
            if (open.length === 0) continue;
            const [{ hold, account, requestId }] = open.splice(action.settle % open.length, 1) as [(typeof open)[number]];
            const due = hold.settle({ ...settlement(action.outcome, 0, action.tokens), estimated: action.estimated });
            expect(due >= 0n && (!action.estimated || due <= hold.amount)).toBe(true);
            settled.set(requestId, { account, due, hold: hold.amount });
          } else if ('deliver' in action) {
            if (open.length === 0) continue;
            const one = open[action.deliver % open.length]!;
            one.delivered = Math.max(one.delivered, Math.min(action.tokens, Number(one.hold.amount)));
            one.hold.progress(one.delivered);
          } else await Promise.all(waiting);
        }
        await Promise.all(waiting);
        await bench.written();
        for (const [requestId, { account, due, hold }] of settled) {
          const [row, ...more] = await bench.usage(requestId);
          const { amount, collected, uncollected } = row!;
          expect(more).toEqual([]);
          expect({ due: amount + uncollected, beyond: collected }).toEqual({ due, beyond: amount > hold ? amount - hold : 0n });
          expect(amount >= (due < hold ? due : hold)).toBe(true);
          left[account]! -= amount;
        }
        for (const [account, principal] of principals.entries()) {
          const held = open.filter((one) => one.account === account).reduce((sum, { hold }) => sum + hold.amount, 0n);
          expect(left[account]! >= held).toBe(true);
          const rest = left[account]! - held;
          if (rest > 0n) (await bench.ledger.hold(request(principal, { maxTokens: Number(rest) }))).settle(settlement('empty', 0, 0));
          await expect(bench.ledger.hold(request(principal, { maxTokens: Number(rest) + 1 }))).rejects.toEqual(
            refusal('insufficient_credits'),
          );
        }
        const next = await bench.afterCrash();
        for (const [account, principal] of principals.entries()) {
          const crashed = open.filter((one) => one.account === account).reduce((sum, { delivered }) => sum + BigInt(delivered), 0n);
          expect(await next.balance(principal)).toEqual({ posted: left[account]! - crashed, leased: 0n });
        }
        for (const requestId of settled.keys()) expect(await next.usage(requestId)).toEqual(await bench.usage(requestId));
        expect((await next.verify()).findings).toEqual([]);
        await next.stop();
        for (const { hold } of open) hold.settle(settlement('provider_failed', 0, 0));
      }),
      { numRuns: longForm ? 40 : 8 },
    );
    await bench.written();
    expect((await bench.verify()).findings).toEqual([]);
  });
});
