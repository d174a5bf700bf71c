import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../common/time/clock.js';
import type { Supply } from '../hold/demand.js';
import { HeldLease } from '../hold/held-lease.js';
import { LeasedHold } from '../hold/leased-hold.js';
import type { Wallet } from '../hold/wallet.js';
import { Wallets } from '../hold/wallets.js';
import { request } from '../testing/ledger-bench.js';
import { LedgerBacklog } from './ledger-backlog.js';
import { rowOf } from './usage-rows.js';
import type { GrantRequest } from './ledger-batch.js';
import type { PendingFlush } from './pending-flush.js';

/** Milliseconds: longer than the store is left without knowledge of a request. */
const AWHILE = 120;

describe('what the store has not been told', () => {
  const principal = { accountId: 'account', environment: 'live', keyId: 'key' } as const;
  let backlog: LedgerBacklog;
  let lease: HeldLease;
  let hold: LeasedHold;
  let now: number;

  beforeEach(() => {
    now = 1_000;
    const clock = { now: () => now } as Clock;
    backlog = new LedgerBacklog(new Wallets(clock), 1_000);
    lease = new HeldLease(principal);
    hold = new LeasedHold(
      1,
      request(principal),
      lease,
      { amount: 10n, maxTokens: 10 },
      {
        clock,
        progressing: () => undefined,
        progressed: (advanced) => backlog.advanced(advanced),
        served: () => undefined,
        promptCounted: () => undefined,
        ended: (ended, ending) => backlog.ended(ended, { ...ending, row: rowOf(ending) }),
      },
    );
    backlog.begun(hold);
  });

  const flush = () => backlog.compose(false, false);
  const told = ({ batch }: PendingFlush) => [batch.begins.length, ...batch.progress.map(({ completionTokens }) => completionTokens)];
  const answered = (sent: PendingFlush) =>
    backlog.apply(
      sent,
      { leases: new Map([[lease.id, { account: '', granted: 10n, spent: 0n, recalled: 0n }]]), grants: new Map() },
      Infinity,
    );

  it('is how far a request has come only once it is told that the request is there', () => {
    hold.progress(3);
    const early = flush();
    expect(told(early)).toEqual([0]);
    answered(early);
    now += AWHILE;
    const late = flush();
    expect(told(late)).toEqual([1, 3]);
    answered(late);
    expect(told(flush())).toEqual([0]);
  });

  it('is what happens while it is told', () => {
    now += AWHILE;
    hold.progress(1);
    const sent = flush();
    hold.progress(2);
    answered(sent);
    expect(told(flush())).toEqual([0, 2]);
  });

  it('is not told again where the store has refused it, but for what happens then', () => {
    now += AWHILE;
    hold.progress(1);
    const refused = flush();
    backlog.requeue(refused);
    backlog.discard(refused);
    expect(told(flush())).toEqual([0]);
    hold.progress(2);
    expect(told(flush())).toEqual([0, 2]);
  });

  it('is told again when no answer comes, unless the request has ended', () => {
    now += AWHILE;
    hold.progress(4);
    backlog.requeue(flush(), new Error('no answer'));
    const again = flush();
    expect(told(again)).toEqual([1, 4]);
    hold.settle({ outcome: 'empty', usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, estimated: false });
    backlog.requeue(again, new Error('no answer'));
    expect(told(flush())).toEqual([0]);
  });
});

describe('requests that wait for money', () => {
  const principal = { accountId: 'account', environment: 'live', keyId: 'key' } as const;
  const nothing: Supply = { available: 0n, elsewhere: 0n, reached: undefined };
  const refused = expect.objectContaining({ code: 'insufficient_credits' });
  const unavailable = expect.objectContaining({ code: 'service_unavailable' });
  let wallet: Wallet;
  let backlog: LedgerBacklog;
  let said: unknown[];

  beforeEach(() => {
    const wallets = new Wallets();
    wallet = wallets.of(principal);
    backlog = new LedgerBacklog(wallets, 1_000);
    said = [];
  });

  const wait = (maxTokens: number, limit = 10_000): void => {
    wallet.wait(
      request(principal, { maxTokens }),
      limit,
      (_, { amount }) => said.push(amount),
      (error) => said.push(error),
    );
    backlog.wanted(wallet);
  };
  /** What the store does with it, the answer being under way. */
  const sent = (supply: Supply): PendingFlush => {
    const flush = backlog.compose(false, false);
    for (const ask of flush.batch.grants) ask.demand(supply);
    return flush;
  };
  const answer = (flush: PendingFlush, granted: bigint, deadline = Infinity): void => {
    const [{ leaseId }] = flush.batch.grants as [GrantRequest];
    const leases = granted > 0n ? [[leaseId, { account: '', granted, spent: 0n, recalled: 0n }] as const] : [];
    backlog.apply(flush, { leases: new Map(leases), grants: new Map([[leaseId, { posted: granted, recall: undefined }]]) }, deadline);
  };

  it('are refused also where another one ends while the store’s answer is under way', () => {
    wait(10);
    const flush = sent(nothing);
    wallet.serve(performance.now());
    expect(said).toEqual([]);
    answer(flush, 0n);
    expect(said).toEqual([refused]);
    expect(wallet.waiting).toEqual([]);
  });

  it('are refused also behind one for whom the money has gone meanwhile, which is asked for again', () => {
    wait(10);
    wait(20);
    answer(sent({ available: 10n, elsewhere: 5n, reached: 0n }), 5n);
    expect(said).toEqual([refused]);
    expect(backlog.urgent).toBe(true);
    answer(sent({ ...nothing, available: 5n }), 10n);
    expect(said).toEqual([refused, 10n]);
  });

  it('are asked for again where the answer came when its lease could not be used any more', () => {
    wait(10);
    wait(20);
    answer(sent({ ...nothing, available: 10n }), 10n, 0);
    expect(said).toEqual([]);
    expect(backlog.urgent).toBe(true);
    answer(sent(nothing), 10n);
    expect(said).toEqual([10n, refused]);
  });

  it('wait for the next flush where the store has not answered, and others do not wait for them', () => {
    wallet.lease = new HeldLease(principal);
    wallet.lease.renewed({ granted: 10n, spent: 0n, recalled: 0n }, 0n, Infinity);
    wait(20);
    wait(5);
    backlog.requeue(sent({ ...nothing, elsewhere: 20n, reached: 0n }));
    expect(said).toEqual([5n]);
    expect(wallet.take(5n, performance.now())).toBe(wallet.lease);
    expect(backlog.urgent).toBe(true);
    answer(sent({ ...nothing, available: 20n }), 30n);
    expect(said).toEqual([5n, 20n]);
  });

  it('ask others anew where it is not known what they were asked', () => {
    const elsewhere = { available: 0n, elsewhere: 10n, reached: 0n };
    wait(10);
    const first = sent(elsewhere);
    const [{ leaseId }] = first.batch.grants as [GrantRequest];
    backlog.apply(first, { leases: new Map(), grants: new Map([[leaseId, { posted: 10n, recall: 1n }]]) }, Infinity);
    backlog.askAgain();
    backlog.requeue(sent(elsewhere));
    const [ask] = backlog.compose(false, false).batch.grants as [GrantRequest];
    expect(ask.demand({ ...elsewhere, reached: 1n })).toEqual({ need: undefined, short: true, recalls: true });
    expect(said).toEqual([]);
  });

  it('are told so where the store is given up', () => {
    wait(10);
    backlog.requeue(sent(nothing), new Error('down'));
    expect(said).toEqual([unavailable]);
    expect(wallet.waiting).toEqual([]);
  });

  it('are told so when nobody answers, and take no money later', async () => {
    wait(10, 5);
    const flush = sent({ ...nothing, available: 10n });
    await delay(20);
    expect(said).toEqual([unavailable]);
    answer(flush, 10n);
    expect(said).toEqual([unavailable]);
    expect(wallet.lease!.purse).toMatchObject({ free: 10n, held: 0n });
  });
});
