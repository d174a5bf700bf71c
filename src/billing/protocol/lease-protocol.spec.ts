import * as fc from 'fast-check';
import { explore } from './testing/explore.js';
import { leaseMachine, type Protocol, protocol, type Scope } from './testing/lease-machine.js';

const twoNodes: Scope = { money: 2n, hold: 1n, excess: 0n, nodes: 2, requests: 2, leases: 1, lostReplies: 0 };
const oneUnit: Scope = { ...twoNodes, money: 1n };
const lostRecalls: Scope = { ...oneUnit, requests: 1, lostReplies: 1 };
const lostReplies: Scope = { ...twoNodes, nodes: 1, leases: 2, lostReplies: 1 };
const beyondHolds: Scope = { ...lostReplies, money: 3n, excess: 1n };
const elsewhere: Scope = { ...twoNodes, excess: 1n, requests: 1 };

/**
 * The smallest in which each mistake below comes to light that does in the larger ones, which are explored in
 * test/long/lease-protocol.spec.ts.
 */
describe('the lease protocol, in every order of events', () => {
  it.each([
    ['two nodes, providers that count beyond the hold, and replies that get lost', { ...lostRecalls, excess: 1n }],
    ['several leases, and providers that count beyond the hold', { ...beyondHolds, lostReplies: 0 }],
    ['providers that count beyond the hold, and money that another node has', elsewhere],
  ])('keeps its laws: %s', (_what, scope) => {
    const { counterexample, states } = explore(leaseMachine(scope, protocol));
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(6_000);
  });
});

/** Mistakes that are easy to make. The exploration is worth something if it finds each of them. */
const mutants: readonly [mistake: string, law: string, scope: Scope, mutant: Partial<Protocol>][] = [
  [
    'a grant does not look at what is available',
    'no balance is overdrawn',
    oneUnit,
    {
      grant(rows, leaseId, account, need, opens) {
        const balance = rows.balances.get(account)!;
        const { posted } = balance;
        balance.posted += need;
        const granted = protocol.grant(rows, leaseId, account, need, opens);
        balance.posted = posted;
        return granted;
      },
    },
  ],
  [
    'a grant brings a lease back that has run out',
    'no purse is overdrawn',
    { ...twoNodes, money: 3n, nodes: 1, requests: 3 },
    { grant: (rows, leaseId, account, need) => protocol.grant(rows, leaseId, account, need, true) },
  ],
  [
    'a late charge is taken from an empty account',
    'no balance is overdrawn',
    oneUnit,
    {
      charge(rows, end) {
        const before = rows.charges.get(end.requestId);
        protocol.charge(rows, end);
        const { uncollected } = rows.charges.get(end.requestId)!;
        if (before === undefined && uncollected > 0n) rows.balances.get(end.account)!.posted -= uncollected;
      },
    },
  ],
  [
    'a request that the reaper has charged is charged again',
    'a settled request costs what it costs',
    twoNodes,
    {
      charge(rows, end) {
        const before = rows.charges.get(end.requestId);
        if (before?.provisional) rows.charges.delete(end.requestId);
        protocol.charge(rows, end);
        const after = rows.charges.get(end.requestId)!;
        if (before?.provisional) rows.charges.set(end.requestId, { ...after, amount: before.amount + after.amount });
      },
    },
  ],
  [
    'a flush that is sent again charges again',
    'a settled request costs what it costs',
    lostReplies,
    {
      charge(rows, end) {
        const before = rows.charges.get(end.requestId);
        rows.charges.delete(end.requestId);
        protocol.charge(rows, end);
        const after = rows.charges.get(end.requestId)!;
        if (before) rows.charges.set(end.requestId, { ...after, amount: before.amount + after.amount });
      },
    },
  ],
  [
    'the reaper returns what was granted, spent or not',
    'no balance is overdrawn',
    twoNodes,
    {
      reap(rows, leaseId, orphans) {
        const lease = rows.leases.get(leaseId)!;
        const spent = lease.spent;
        protocol.reap(rows, leaseId, orphans);
        rows.balances.get(lease.account)!.reserved -= spent;
      },
    },
  ],
  [
    'a node frees the whole hold of what it has charged',
    'a node spends no more than its lease is worth',
    twoNodes,
    {
      settle(purse, held, due) {
        const excess = protocol.settle(purse, held, due);
        purse.free += due - excess;
        return excess;
      },
    },
  ],
  [
    'a node pays for what goes beyond a hold out of what others hold',
    'no purse is overdrawn',
    beyondHolds,
    {
      settle(purse, held, due) {
        purse.held -= held;
        purse.free += held - due;
        purse.unflushed += due;
        return 0n;
      },
    },
  ],
  [
    'what goes beyond a hold is taken from the lease, which backs other holds',
    'no purse is overdrawn',
    beyondHolds,
    { charge: (rows, end) => protocol.charge(rows, { ...end, amount: end.amount + end.excess, excess: 0n }) },
  ],
  [
    'what goes beyond a hold is forgotten',
    'a settled request costs what it costs',
    beyondHolds,
    { charge: (rows, end) => protocol.charge(rows, { ...end, excess: 0n }) },
  ],
  [
    'what goes beyond a hold is recorded, and not collected',
    'what is there is collected',
    beyondHolds,
    {
      charge(rows, end) {
        const before = rows.charges.get(end.requestId);
        protocol.charge(rows, { ...end, excess: 0n });
        const after = rows.charges.get(end.requestId)!;
        if (after !== before) rows.charges.set(end.requestId, { ...after, uncollected: after.uncollected + end.excess });
      },
    },
  ],
  [
    'what goes beyond a hold is taken from an empty account',
    'no balance is overdrawn',
    beyondHolds,
    {
      charge(rows, end) {
        const before = rows.charges.get(end.requestId);
        protocol.charge(rows, end);
        const after = rows.charges.get(end.requestId)!;
        if (after === before) return;
        rows.balances.get(end.account)!.posted -= after.uncollected;
        rows.revenue.set(end.account, rows.revenue.get(end.account)! + after.uncollected);
        rows.charges.set(end.requestId, { ...after, amount: after.amount + after.uncollected, uncollected: 0n });
      },
    },
  ],
  ['what another node has is not claimed', 'what is there is collected', elsewhere, { claim: () => undefined }],
  [
    'only the first that comes back pays for what was not collected',
    'what is there is collected',
    { ...elsewhere, money: 3n, excess: 2n, nodes: 3 },
    {
      returnUnspent(rows, leaseId, amount, recalled) {
        protocol.returnUnspent(rows, leaseId, amount, recalled);
        rows.claims.clear();
      },
    },
  ],
  [
    'what a dead node had goes back before it pays for what was not collected',
    'what is there is collected',
    elsewhere,
    {
      reap(rows, leaseId, orphans) {
        rows.claims.delete(leaseId);
        protocol.reap(rows, leaseId, orphans);
      },
    },
  ],
  [
    'what has been paid by what came back is claimed again',
    'nothing is collected but what requests are charged',
    elsewhere,
    {
      returnUnspent(rows, leaseId, amount, recalled) {
        const before = new Map(rows.charges);
        protocol.returnUnspent(rows, leaseId, amount, recalled);
        for (const [id, charged] of before) rows.charges.set(id, charged);
      },
    },
  ],
  ['nobody is asked before a request is refused', 'nobody is refused what lies idle', oneUnit, { lastWord: () => true }],
  [
    'the answer to an earlier recall counts for a later one',
    'nobody is refused what lies idle',
    oneUnit,
    { lastWord: (raised, reached) => raised !== undefined && (reached === undefined || reached > 0n) },
  ],
  [
    'a node answers a recall and keeps what it has',
    'nobody is refused what lies idle',
    oneUnit,
    {
      returnUnspent: (rows, leaseId, amount, recalled = 0n) => protocol.returnUnspent(rows, leaseId, recalled > 0n ? 0n : amount, recalled),
    },
  ],
  [
    'a node that has missed the store’s reply answers a recall with what it knows of',
    'nobody is refused what lies idle',
    lostRecalls,
    { replyTo: (raised) => raised },
  ],
  [
    'one answer counts for all',
    'nobody is refused what lies idle',
    { ...twoNodes, nodes: 3 },
    {
      answered(leases) {
        let highest: bigint | undefined;
        for (const { granted, spent, recalled } of leases)
          if (granted > spent && (highest === undefined || recalled > highest)) highest = recalled;
        return highest;
      },
    },
  ],
  [
    'a node takes the store’s word and forgets what it has not written',
    'a node spends no more than its lease is worth',
    { ...lostReplies, money: 4n },
    {
      reconcile(purse, lease, flushed) {
        protocol.reconcile(purse, lease, flushed);
        purse.free += purse.held;
      },
    },
  ],
];

describe('the exploration of the lease protocol', () => {
  it.each(mutants)('finds out that %s', (_mistake, law, scope, mutant) => {
    const { counterexample } = explore(leaseMachine(scope, { ...protocol, ...mutant }));
    expect(counterexample?.law).toBe(law);
    expect(counterexample!.trace.length).toBeGreaterThan(0);
  });
});

describe('a grant', () => {
  it('is what is needed and an eighth of the rest, which it leaves to a request that waits, or nothing', () => {
    const nano = fc.bigInt({ min: 0n, max: 10n ** 18n });
    fc.assert(
      fc.property(nano, nano, nano, fc.boolean(), (posted, reserved, need, recalling) => {
        fc.pre(reserved <= posted);
        const rows = {
          balances: new Map([['a', { posted, reserved, recall: 0n, recalling }]]),
          leases: new Map(),
          charges: new Map(),
          claims: new Map(),
          revenue: new Map(),
        };
        const amount = protocol.grant(rows, 'lease', 'a', need, true);
        const free = posted - reserved;
        if (need > free) expect(amount).toBe(0n);
        else expect(amount).toBe(need + (recalling ? 0n : (free - need) / 8n));
        expect(rows.balances.get('a')).toMatchObject({ posted, reserved: reserved + amount });
      }),
    );
  });
});
