import * as fc from 'fast-check';
import { longForm } from '../../common/testing/long-form.js';
import type { Purse } from '../hold/purse.js';
import type { Lease, LedgerRows } from '../protocol/ledger-rows.js';
import { protocol } from '../protocol/testing/lease-machine.js';

const ACCOUNT = 'account';
const NODES = 3;

interface Open {
  readonly id: string;
  readonly held: bigint;
}

interface Node {
  lease: string | undefined;
  readonly purse: Purse;
  open: Open[];
  /** Settled, and not yet told to the store. */
  unflushed: { id: string; amount: bigint; excess: bigint }[];
}

interface System {
  readonly rows: LedgerRows;
  readonly nodes: Node[];
  names: number;
}

/** What a person at the till would know: how much there was, and what each settled request costs. */
interface Till {
  readonly money: bigint;
  charged: bigint;
  /** Of a gateway that has died: what it had settled may be charged or not be known. */
  lost: bigint;
}

const worth = ({ granted, spent }: Lease): bigint => granted - spent;

function agree({ money, charged, lost }: Till, { rows, nodes }: System): void {
  const { posted, reserved } = rows.balances.get(ACCOUNT)!;
  expect(reserved >= 0n && posted >= reserved).toBe(true);
  expect(posted + rows.revenue.get(ACCOUNT)!).toBe(money);
  expect(Array.from(rows.leases.values()).reduce((sum, lease) => sum + worth(lease), 0n)).toBe(reserved);
  let unwritten = 0n;
  for (const { lease, purse, unflushed } of nodes) {
    const row = lease === undefined ? undefined : rows.leases.get(lease);
    expect(purse.free + purse.held + purse.unflushed).toBe(row ? worth(row) : 0n);
    expect(purse.free >= 0n && purse.held >= 0n).toBe(true);
    for (const { amount, excess } of unflushed) unwritten += amount + excess;
  }
  let uncollected = 0n;
  for (const one of rows.charges.values()) {
    expect(one.uncollected >= 0n).toBe(true);
    uncollected += one.uncollected;
  }
  expect(rows.revenue.get(ACCOUNT)! + unwritten + uncollected + lost).toBe(charged);
  // Whatever comes back pays for it first.
  if (uncollected > 0n) expect(posted).toBe(reserved);
}

type Command = fc.Command<Till, System>;

const command = (name: string, run: (till: Till, system: System) => void): Command => ({
  check: () => true,
  run(till, system) {
    run(till, system);
    agree(till, system);
  },
  toString: () => name,
});

const answered = (system: System, node: Node, flushed: bigint): void => {
  const row = node.lease === undefined ? undefined : system.rows.leases.get(node.lease);
  if (row) protocol.reconcile(node.purse, row, flushed);
  else {
    Object.assign(node.purse, protocol.emptyPurse());
    node.lease = undefined;
  }
};

const flush = (system: System, node: Node): bigint => {
  let flushed = 0n;
  for (const { id, amount, excess } of node.unflushed.splice(0)) {
    const end = { requestId: id, account: ACCOUNT, leaseId: node.lease, amount, excess, provisional: false };
    const left = protocol.available(system.rows.balances.get(ACCOUNT)!);
    protocol.charge(system.rows, end);
    // A repeat changes nothing.
    protocol.charge(system.rows, end);
    flushed += amount;
    const collected = excess < left ? excess : left;
    const charged = system.rows.charges.get(id)!;
    expect(charged).toEqual({ amount: amount + collected, uncollected: excess - collected, provisional: false });
    if (charged.uncollected > 0n) protocol.claim(system.rows, id, system.rows.leases);
  }
  return flushed;
};

const node = fc.nat({ max: NODES - 1 });
const amount = fc.bigInt({ min: 1n, max: 60n });

const commands = [
  fc.tuple(node, amount).map(([index, need]) =>
    command(`node ${index} asks for ${need}`, (_till, system) => {
      const one = system.nodes[index]!;
      const opens = one.lease === undefined;
      one.lease ??= `lease ${system.names++}`;
      const flushed = flush(system, one);
      const balance = system.rows.balances.get(ACCOUNT)!;
      const before = protocol.available(balance);
      const granted = protocol.grant(system.rows, one.lease, ACCOUNT, need, opens);
      expect(granted > 0n).toBe(need <= before);
      if (granted === 0n) protocol.recall(system.rows, ACCOUNT);
      answered(system, one, flushed);
    }),
  ),
  fc.tuple(node, amount).map(([index, held]) =>
    command(`node ${index} holds ${held}`, (_till, system) => {
      const one = system.nodes[index]!;
      const { free } = one.purse;
      expect(protocol.take(one.purse, held)).toBe(held <= free);
      if (held <= free) one.open.push({ id: `request ${system.names++}`, held });
    }),
  ),
  fc.tuple(node, fc.nat(), fc.nat({ max: 300 })).map(([index, which, share]) =>
    command(`node ${index} settles one at ${share} %`, (till, system) => {
      const one = system.nodes[index]!;
      if (one.open.length === 0) return;
      const [{ id, held }] = one.open.splice(which % one.open.length, 1) as [Open];
      const due = (held * BigInt(share)) / 100n;
      const { free } = one.purse;
      const excess = protocol.settle(one.purse, held, due);
      expect(excess).toBe(due > held + free ? due - held - free : 0n);
      one.unflushed.push({ id, amount: due - excess, excess });
      till.charged += due;
    }),
  ),
  node.map((index) =>
    command(`node ${index} answers the recall`, (_till, system) => {
      const one = system.nodes[index]!;
      if (one.lease === undefined) return;
      const flushed = flush(system, one);
      const { free } = one.purse;
      one.purse.free = 0n;
      protocol.returnUnspent(system.rows, one.lease, free, system.rows.balances.get(ACCOUNT)!.recall);
      answered(system, one, flushed);
    }),
  ),
  node.map((index) =>
    command(`node ${index} dies without a word`, (till, system) => {
      const one = system.nodes[index]!;
      for (const { amount: owed, excess } of one.unflushed) till.lost += owed + excess;
      if (one.lease !== undefined) protocol.reap(system.rows, one.lease, []);
      Object.assign(one, { lease: undefined, purse: protocol.emptyPurse(), open: [], unflushed: [] });
    }),
  ),
];

describe('the lease protocol, under any sequence of commands', () => {
  it('keeps every unit of money in its place', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 300n }), fc.commands(commands, { maxCommands: 80 }), (money, sequence) => {
        const rows: LedgerRows = {
          balances: new Map([[ACCOUNT, { posted: money, reserved: 0n, recall: 0n, recalling: false }]]),
          leases: new Map(),
          charges: new Map(),
          claims: new Map(),
          revenue: new Map([[ACCOUNT, 0n]]),
        };
        const nodes = Array.from({ length: NODES }, (): Node => ({
          lease: undefined,
          purse: protocol.emptyPurse(),
          open: [],
          unflushed: [],
        }));
        fc.modelRun(() => ({ model: { money, charged: 0n, lost: 0n }, real: { rows, nodes, names: 0 } }), sequence);
      }),
      { numRuns: longForm ? 300 : 100 },
    );
  });
});
