import type { Sent } from './torture/client.ts';
import { compare } from './torture/compare.ts';
import { chanceToRenew, type Lapse, type Outage } from './torture/lapses.ts';
import { checksOf } from './torture/report.ts';
import type { Outcome } from './torture/run.ts';
import { priceOf } from './torture/script.ts';
import type { UsageRow } from './torture/store.ts';

describe('the comparison of what was delivered with what was charged', () => {
  const run = { url: '', node: 'n', outages: [], lastHealthyAt: 1_050, killedAt: undefined };
  const sent: Sent = {
    script: { pieces: 5, pace: 1, end: 'stop', stream: true, insists: true, hidden: 0 },
    account: 0,
    gateway: 0,
    run,
    startedAt: 1_000,
    endedAt: 1_100,
    id: 'a',
    status: 200,
    refusal: '',
    tokens: 5,
    lastRead: 2,
    end: 'done',
    wrong: undefined,
  };
  const row: UsageRow = {
    request_id: 'a',
    account_id: 'acct',
    prompt_tokens: 10n,
    completion_tokens: 5n,
    hold: priceOf(6),
    amount: priceOf(5),
    uncollected: 0n,
    outcome: 'completed',
  };
  const paused: Outage[] = [{ what: 'paused', from: 1_100, to: 2_500 }];
  const lapse: Lapse = { node: 'n', account: 'acct', renewedAt: 1_090, endedAt: 2_100 };
  const quiet = { lapses: [], outagesOf: () => paused, poor: () => true, lease: 1_000, late: 250 };
  const found = (one: Partial<Sent>, charged: Partial<UsageRow>, circumstances: Partial<Parameters<typeof compare>[2]> = {}) => {
    const { settled, inFlight, unknown, tooShort, unexplained } = compare([{ ...sent, ...one }], [{ ...row, ...charged }], {
      ...quiet,
      ...circumstances,
    });
    return { inexact: settled.inexact, over: settled.over + inFlight.over + unknown.over, tooShort, unexplained };
  };
  const nothing = { inexact: 0, over: 0n, tooShort: 0, unexplained: 0 };
  const killed = { run: { ...run, killedAt: 1_080 }, end: 'broken' } as const;

  it('finds nothing where all was charged, and nothing where a killed gateway lost its last write', () => {
    expect(found({}, {})).toEqual(nothing);
    expect(found({ end: 'error' }, { amount: 0n })).toEqual(nothing);
    for (const tokens of [3, 4, 5]) expect(found(killed, { amount: priceOf(tokens) })).toEqual(nothing);
  });

  it('finds one nano-credit too much or too little', () => {
    expect(found({}, { amount: row.amount + 1n })).toEqual({ ...nothing, inexact: 1, over: 1n });
    expect(found({}, { amount: row.amount - 1n })).toEqual({ ...nothing, inexact: 1 });
    expect(found({ end: 'error' }, { amount: 1n })).toEqual({ ...nothing, inexact: 1, over: 1n });
    expect(found({}, { request_id: 'b' })).toEqual({ ...nothing, inexact: 1, over: row.amount });
    expect(found(killed, { amount: row.amount + 1n })).toEqual({ ...nothing, over: 1n });
    expect(found(killed, { amount: priceOf(2) })).toEqual({ ...nothing, tooShort: 1 });
    expect(found({ ...killed, endedAt: 700, startedAt: 600 }, { amount: priceOf(3) })).toEqual({ ...nothing, inexact: 1 });
  });

  it('finds what was not collected though no lease lapsed that it was held from, or of a customer who could have paid', () => {
    const uncollected = { amount: 0n, uncollected: row.amount };
    const unexplained = { ...nothing, unexplained: 1 };
    expect(found({}, uncollected)).toEqual(unexplained);
    expect(found({}, uncollected, { lapses: [lapse] })).toEqual(nothing);
    expect(found({}, uncollected, { lapses: [lapse], poor: () => false })).toEqual(unexplained);
    expect(found({}, uncollected, { lapses: [lapse], outagesOf: () => [] })).toEqual(unexplained);
    for (const other of [{ node: 'm' }, { account: 'other' }, { renewedAt: 1_400 }, { renewedAt: -100, endedAt: 950 }])
      expect(found({}, uncollected, { lapses: [{ ...lapse, ...other }] })).toEqual(unexplained);
  });

  it('expects what the provider has counted beyond what it delivered, and no more than a poor customer has', () => {
    const script = { ...sent.script, hidden: 7 };
    const [whole, hold] = [priceOf(12), priceOf(5)];
    expect(found({ script }, { amount: whole, hold })).toEqual(nothing);
    expect(found({ script }, { amount: whole - 1n, hold })).toEqual({ ...nothing, inexact: 1 });
    expect(found({ script, end: 'left' }, { amount: whole, hold })).toEqual({ ...nothing, inexact: 1, over: whole - hold });
    for (const amount of [whole, priceOf(5), priceOf(3)]) expect(found({ ...killed, script }, { amount, hold })).toEqual(nothing);
    expect(found({ ...killed, script }, { amount: whole - 1n, hold })).toMatchObject({ over: whole - 1n - hold });
    const poor = { amount: hold, uncollected: whole - hold, hold };
    expect(found({ script }, poor)).toEqual(nothing);
    expect(found({ script }, poor, { poor: () => false })).toEqual({ ...nothing, unexplained: 1 });
    expect(found({ script }, { ...poor, amount: hold - 1n, uncollected: whole - hold + 1n })).toEqual({ ...nothing, unexplained: 1 });
  });

  it('finds leases that lapsed though there was time to renew them, however many outages there were', () => {
    const outages = (...times: [number, number][]): Outage[] => times.map(([from, to]) => ({ what: 'paused', from, to }));
    const chance = (...times: [number, number][]) => chanceToRenew({ ...lapse, renewedAt: 0 }, outages(...times), 1_000);
    expect(chance()).toBe(1_000);
    expect(chance([300, Infinity])).toBe(300);
    expect(chance([-900, 100])).toBe(900);
    // Each shorter than the lease, and together as long.
    expect(chance([100, 400], [500, 900], [950, 1_200])).toBe(100);
    expect(chance([500, 900], [100, 400], [450, 460])).toBe(100);
    expect(chance([100, 800], [200, 300])).toBe(200);
    expect(chance([1_200, 9_000])).toBe(1_000);
    const { lapses, neglected } = compare([sent], [row], { ...quiet, lapses: [lapse, { ...lapse, renewedAt: 2_500 }] });
    expect({ lapses, neglected }).toEqual({ lapses: 2, neglected: 1 });
    expect(compare([sent], [row], { ...quiet, lapses: [lapse], outagesOf: () => undefined }).neglected).toBe(1);
  });

  it('meets its targets only when all of them are met', () => {
    const options = {
      engine: 'sqlite',
      gateways: 1,
      clients: 1,
      kills: 3,
      seconds: 1,
      every: 1,
      lease: 1,
      late: 1,
      seed: 1,
      program: '',
    } as const;
    const outcome: Outcome = {
      seconds: 1,
      kills: 3,
      faults: new Map(),
      comparison: compare([sent], [row], quiet),
      log: [],
      requests: 1,
      statuses: new Map(),
      troubles: [],
      snapshots: 1,
      badSnapshots: 0,
      stranded: undefined,
      returnedAfter: 1,
      verified: true,
    };
    const missed = (worse: Partial<Outcome>) =>
      checksOf(options, { ...outcome, ...worse })
        .filter(([, ok]) => !ok)
        .map(([what]) => what);
    expect(missed({})).toEqual([]);
    expect(missed({ kills: 2 })).toEqual(['gateways killed']);
    expect(missed({ badSnapshots: 1 })).toEqual(['snapshots with a negative balance or a broken sum']);
    expect(missed({ stranded: { leases: 0n, reserved: 0n, inflight: 1n } })).toEqual(['nothing is held after the lease’s time']);
    expect(missed({ verified: false })).toEqual(['ledger verified']);
    expect(missed({ troubles: ['a gateway ended by itself'] })).toEqual(['answers and ends as they must be']);
    const compared = (charged: Partial<UsageRow>, lapses: Lapse[] = []) =>
      missed({ comparison: compare([sent], [{ ...row, ...charged }], { ...quiet, lapses }) });
    expect(compared({ amount: row.amount + 1n })).toEqual([
      'overcharged',
      'not in flight at a kill: exact',
      'charged and uncollected are what was delivered',
    ]);
    expect(compared({ amount: 0n, uncollected: row.amount })).toEqual([
      'uncollected only beyond a hold, or where outages left no time to renew its lease',
    ]);
    expect(compared({ amount: 0n, uncollected: row.amount }, [lapse])).toEqual([]);
    // A machine that has no time for anything makes leases lapse, too; it must cost nothing.
    expect(compared({}, [{ ...lapse, renewedAt: 2_500 }])).toEqual([]);
  });
});
