import { lesser } from '../../../common/prices/credits.js';
import * as nodeProtocol from '../../hold/purse.js';
import * as claimProtocol from '../claims.js';
import * as storeProtocol from '../lease-protocol.js';
import type { BalanceRow, Claims, Lease, LedgerRows } from '../ledger-rows.js';
import type { Machine } from './explore.js';

/** Both halves of the protocol, as production runs them. */
export const protocol = { ...storeProtocol, ...claimProtocol, ...nodeProtocol };

/** The functions under exploration: production's, or a mutant's. */
export type Protocol = typeof protocol;

export interface Scope {
  /** Units of money at the start. */
  readonly money: bigint;
  /** Units that each request holds; a unit is a token. */
  readonly hold: bigint;
  /** Units that a provider may count beyond the hold. */
  readonly excess: bigint;
  readonly nodes: number;
  readonly requests: number;
  /** Leases that a node opens at most. */
  readonly leases: number;
  /** Replies of the store that are lost. */
  readonly lostReplies: number;
}

interface Node {
  /** `paused` may outlast its lease; `dead` has left its journal; `lost` has left nothing. */
  mode: 'up' | 'paused' | 'dead' | 'lost';
  /** Its clock says that its lease may have run out: it admits nobody until the store has renewed it. */
  expired: boolean;
  lease: string | undefined;
  /** The store has answered about this lease. */
  opened: boolean;
  leases: number;
  purse: nodeProtocol.Purse;
  /** A reply was lost: its purse may lack what the store has granted. */
  doubtful: boolean;
  /** A request that found too little. */
  waiting: Waiting | undefined;
}

interface Waiting {
  /** The recall that was made for it. */
  readonly recall: bigint;
  /** What each node has had to spare ever since. */
  readonly idle: readonly bigint[];
}

interface Request {
  /** Nothing can happen to it any more. */
  over?: true;
  readonly node: number;
  readonly lease: string;
  /** Tokens handed to the client; the journal knows them too. */
  delivered: bigint;
  /** Tokens that the store knows of; absent: it does not know the request. */
  durable: bigint | undefined;
  /** Decided on the node: what its lease pays. */
  amount: bigint | undefined;
  /** And what is to be collected beyond it. */
  excess: bigint;
  /** The node has the store's answer. */
  flushed: boolean;
}

export interface LeaseState {
  readonly rows: LedgerRows;
  readonly nodes: Node[];
  readonly requests: Request[];
  /** A lease was reaped while its node might still have come back. */
  lapsed: boolean;
  /** A request was charged less in the end than when its lease was reaped. */
  refunded: boolean;
  /** What the requests were charged that are forgotten. */
  paid: bigint;
  lostReplies: number;
  /** A law that a request broke as it was forgotten. */
  violation?: string;
}

const ACCOUNT = 'account';

/**
 * Nodes that lease, hold, deliver, settle, flush, give back, pause, crash and lose their host, in every order; replies
 * get lost.
 */
export function leaseMachine(
  scope: Scope,
  {
    grant,
    recall,
    answered: reached,
    lastWord,
    replyTo,
    returnUnspent,
    charge,
    claim,
    reap,
    take,
    settle,
    reconcile,
    emptyPurse,
  }: Protocol,
): Machine<LeaseState> {
  const initial: LeaseState = {
    rows: {
      balances: new Map([[ACCOUNT, { posted: scope.money, reserved: 0n, recall: 0n, recalling: false }]]),
      leases: new Map(),
      charges: new Map(),
      claims: new Map(),
      revenue: new Map([[ACCOUNT, 0n]]),
    },
    nodes: Array.from({ length: scope.nodes }, () => ({
      mode: 'up',
      expired: false,
      lease: undefined,
      opened: false,
      leases: 0,
      purse: emptyPurse(),
      doubtful: false,
      waiting: undefined,
    })),
    requests: [],
    lapsed: false,
    refunded: false,
    paid: 0n,
    lostReplies: 0,
  };

  /** What a node does with the store's answer to anything. */
  function answered(state: LeaseState, node: Node, flushed: bigint): void {
    node.doubtful = false;
    if (node.lease === undefined) return;
    const lease = state.rows.leases.get(node.lease);
    if (lease) {
      node.opened = true;
      reconcile(node.purse, lease, flushed);
    } else {
      node.purse = emptyPurse();
      node.lease = undefined;
      node.opened = false;
    }
    node.expired = false;
  }

  function endOf(request: Request, index: number, provisional: boolean): storeProtocol.End {
    const amount = request.amount ?? request.delivered;
    return { requestId: String(index), account: ACCOUNT, leaseId: request.lease, amount, excess: request.excess, provisional };
  }

  function chargeOne(state: LeaseState, request: Request, index: number, provisional: boolean): void {
    const { rows } = state;
    const before = rows.charges.get(String(index));
    charge(rows, endOf(request, index, provisional));
    const is = rows.charges.get(String(index))!;
    if (is === before) return;
    if (before && is.amount < before.amount) state.refunded = true;
    if (is.uncollected > 0n) claim(rows, String(index), rows.leases);
  }

  /** Whatever a node asks of the store, it sends again first what it has had no answer to. */
  function sync(state: LeaseState, index: number, lost: boolean, operation?: (node: Node) => void): void {
    const node = state.nodes[index]!;
    let flushed = 0n;
    for (const [id, request] of state.requests.entries()) {
      if (request.node !== index || request.flushed) continue;
      if (request.amount === undefined) {
        if (state.rows.leases.has(request.lease)) request.durable = request.delivered;
        continue;
      }
      chargeOne(state, request, id, false);
      request.durable = undefined;
      if (lost) continue;
      request.flushed = true;
      if (request.lease === node.lease) flushed += request.amount;
    }
    operation?.(node);
    if (lost) {
      state.lostReplies++;
      node.doubtful = true;
      // Who waits is asked for anew.
      node.waiting = undefined;
    } else answered(state, node, flushed);
  }

  function ask(state: LeaseState, index: number, lost: boolean): void {
    sync(state, index, lost, (node) => {
      node.lease ??= `${index}.${node.leases++}`;
      const need = scope.hold > node.purse.free ? scope.hold - node.purse.free : 0n;
      const { rows } = state;
      const available = protocol.available(rows.balances.get(ACCOUNT)!);
      if (grant(rows, node.lease, ACCOUNT, need, !node.opened) > 0n) node.waiting = undefined;
      else if (need > available) {
        const others = reached(Array.from(rows.leases).flatMap(([id, lease]) => (id === node.lease ? [] : lease)));
        const idle = node.waiting?.idle ?? state.nodes.map((_, other) => (other === index ? 0n : spare(state, other)));
        if (!lastWord(node.waiting?.recall, others)) node.waiting ??= { recall: recall(rows, ACCOUNT), idle };
        else {
          if (!lost && idle.reduce((sum, one) => sum + one, available) >= need) state.violation ??= 'nobody is refused what lies idle';
          node.waiting = undefined;
        }
        // It was not opened, and the next one may have its name.
        if (!lost && !node.opened && !node.doubtful && !rows.leases.has(node.lease)) node.leases--;
      }
    });
  }

  /** What a node could give back. */
  function spare({ rows, nodes }: LeaseState, index: number): bigint {
    const { mode, lease, purse } = nodes[index]!;
    const row = lease === undefined || mode !== 'up' ? undefined : rows.leases.get(lease);
    const rest = row ? row.granted - row.spent - purse.held - purse.unflushed : 0n;
    return rest > 0n ? rest : 0n;
  }

  /** @param answers the recall, with all that the node knows to be free */
  function give(state: LeaseState, index: number, lost: boolean, answers: boolean): void {
    const { recall: number } = state.rows.balances.get(ACCOUNT)!;
    const { doubtful } = state.nodes[index]!;
    sync(state, index, lost, (node) => {
      const amount = node.purse.free;
      node.purse.free = 0n;
      returnUnspent(state.rows, node.lease!, amount, answers ? replyTo(number, doubtful) : 0n);
    });
  }

  function reapLease(state: LeaseState, leaseId: string): void {
    const orphans: storeProtocol.Orphan[] = [];
    for (const [id, request] of state.requests.entries()) {
      if (request.lease !== leaseId || request.durable === undefined) continue;
      orphans.push({ requestId: String(id), amount: request.durable });
      request.durable = undefined;
    }
    reap(state.rows, leaseId, orphans);
  }

  /** A journal is replayed by the next process, again when that one fell in the midst of it. */
  function replay(state: LeaseState, index: number, lost: boolean): void {
    for (const [id, request] of state.requests.entries()) {
      if (request.node !== index || request.flushed) continue;
      chargeOne(state, request, id, request.amount === undefined);
      request.durable = undefined;
      if (!lost) request.flushed = true;
    }
    for (const leaseId of state.rows.leases.keys()) if (leaseId.startsWith(`${index}.`)) reapLease(state, leaseId);
    if (lost) state.lostReplies++;
    else state.nodes[index]!.mode = 'lost';
  }

  function* next(before: LeaseState) {
    const after = (step: string, change: (state: LeaseState) => void) => {
      const state = copy(before);
      change(state);
      forget(state);
      return { step, state };
    };
    const replies = before.lostReplies < scope.lostReplies ? [false, true] : [false];
    const admitting = before.requests.length < scope.requests;
    const flushable = (index: number) => before.requests.some(({ node, flushed }) => node === index && !flushed);
    const { recall: recalls } = before.rows.balances.get(ACCOUNT)!;
    for (const [index, { mode, expired, lease, leases, purse, waiting }] of before.nodes.entries()) {
      const at = (state: LeaseState) => state.nodes[index]!;
      if (mode === 'up') {
        for (const lost of replies) {
          const reply = lost ? ', reply lost' : '';
          if (admitting && purse.free < scope.hold && (lease !== undefined || leases < scope.leases))
            yield after(`node ${index} asks for a lease${reply}`, (state) => ask(state, index, lost));
          if (flushable(index)) yield after(`node ${index} flushes${reply}`, (state) => sync(state, index, lost));
          if (lease !== undefined && purse.free > 0n)
            yield after(`node ${index} gives back${reply}`, (state) => give(state, index, lost, false));
          if (lease !== undefined && (before.rows.leases.get(lease)?.recalled ?? recalls) < recalls)
            yield after(`node ${index} answers the recall${reply}`, (state) => give(state, index, lost, true));
        }
        // Whoever is up answers in time.
        if (waiting && before.nodes.some((node, other) => other !== index && node.mode !== 'up'))
          yield after(`node ${index} waits no longer`, (state) => void (at(state).waiting = undefined));
        if (expired && !flushable(index)) yield after(`node ${index} renews`, (state) => sync(state, index, false));
        if (!expired && lease !== undefined && admitting && purse.free >= scope.hold)
          yield after(`node ${index} begins`, (state) => {
            take(at(state).purse, scope.hold);
            state.requests.push({ node: index, lease, delivered: 0n, durable: undefined, amount: undefined, excess: 0n, flushed: false });
          });
        if (lease === undefined && !flushable(index)) continue;
        yield after(`node ${index} pauses`, (state) => void (at(state).mode = 'paused'));
        yield after(`node ${index} crashes`, (state) => void (at(state).mode = 'dead'));
        yield after(`node ${index} loses its host`, (state) => void (at(state).mode = 'lost'));
      }
      if (mode === 'paused')
        yield after(`node ${index} resumes late`, (state) => {
          at(state).mode = 'up';
          at(state).expired = true;
        });
      if (mode === 'dead')
        for (const lost of replies)
          yield after(`the journal of node ${index} is replayed${lost ? ', in part' : ''}`, (state) => replay(state, index, lost));
    }
    for (const [id, request] of before.requests.entries()) {
      if (request.flushed) continue;
      const { mode, lease } = before.nodes[request.node]!;
      if (mode !== 'up' || request.amount !== undefined) continue;
      if (request.delivered < scope.hold)
        yield after(`request ${id} is handed a token`, (state) => void (state.requests[id]!.delivered += 1n));
      const endings: readonly (readonly [string, bigint])[] = [
        ['charged', request.delivered],
        ['free', 0n],
        ...(scope.excess > 0n ? ([['counted beyond its hold', scope.hold + scope.excess]] as const) : []),
      ];
      for (const [how, due] of endings)
        yield after(`request ${id} ends, ${how}`, (state) => {
          const within = lesser(due, scope.hold);
          const excess = lease === request.lease ? settle(state.nodes[request.node]!.purse, scope.hold, due) : due - within;
          Object.assign(state.requests[id]!, { amount: due - excess, excess });
        });
    }
    for (const leaseId of before.rows.leases.keys()) {
      const { mode } = before.nodes[Number(leaseId.split('.')[0])]!;
      if (mode === 'up') continue;
      yield after(`lease ${leaseId} is reaped`, (state) => {
        reapLease(state, leaseId);
        state.lapsed = true;
      });
    }
  }

  /** Drops what can make no difference any more, so that fewer states are different. */
  function forget(state: LeaseState): void {
    const { rows, nodes, requests } = state;
    const raised = [...new Set(nodes.flatMap(({ waiting }) => waiting?.recall ?? []))];
    const rank = (number: bigint): bigint => BigInt(raised.filter((one) => one <= number).length);
    const balance = rows.balances.get(ACCOUNT)!;
    balance.recalling = raised.length > 0;
    balance.recall = rank(balance.recall);
    for (const lease of rows.leases.values()) lease.recalled = rank(lease.recalled);
    for (const node of nodes)
      if (node.waiting) {
        const idle = node.waiting.idle.map((one, other) => lesser(one, spare(state, other)));
        node.waiting = node.purse.free >= scope.hold && !node.expired ? undefined : { recall: rank(node.waiting.recall), idle };
      }
    for (const [index, node] of nodes.entries()) {
      if (node.mode === 'up' || node.mode === 'paused') continue;
      if (node.mode === 'dead' && !requests.some((request) => request.node === index && !request.flushed)) node.mode = 'lost';
      nodes[index] = {
        mode: node.mode,
        expired: false,
        lease: undefined,
        opened: false,
        leases: 0,
        purse: emptyPurse(),
        doubtful: false,
        waiting: undefined,
      };
    }
    for (const [id, request] of requests.entries()) {
      if (request.over) continue;
      const unknown = !request.flushed && nodes[request.node]!.mode === 'lost' && request.durable === undefined;
      if (!request.flushed && !unknown) continue;
      const charged = rows.charges.get(String(id));
      const cost = charged && charged.amount + charged.uncollected;
      if (request.flushed && cost !== dueOf(request)) state.violation ??= 'a settled request costs what it costs';
      if (cost !== undefined && cost > most(request)) state.violation ??= 'nobody pays for what was not delivered';
      const rest = { node: -1, lease: '', delivered: 0n, durable: undefined, flushed: true } as const;
      if (charged && charged.uncollected > 0n && rows.leases.size > 0) {
        // What the leases give back may still pay for it.
        requests[id] = { ...rest, amount: charged.amount, excess: charged.uncollected };
        continue;
      }
      state.paid += charged?.amount ?? 0n;
      rows.charges.delete(String(id));
      for (const ofLease of rows.claims.values()) ofLease.delete(String(id));
      requests[id] = { ...rest, over: true, amount: 0n, excess: 0n };
    }
  }

  function broken({ rows, nodes, requests, lapsed, refunded, paid, violation }: LeaseState): string | undefined {
    if (violation) return violation;
    const { posted, reserved } = rows.balances.get(ACCOUNT)!;
    if (reserved < 0n || posted < reserved) return 'no balance is overdrawn';
    if (posted > reserved && !refunded)
      for (const { uncollected } of rows.charges.values()) if (uncollected > 0n) return 'what is there is collected';
    let worth = 0n;
    for (const { granted, spent } of rows.leases.values()) {
      if (spent < 0n || granted < spent) return 'no lease spends more than it was granted';
      worth += granted - spent;
    }
    if (worth !== reserved) return 'what is reserved is what the leases are worth';
    if (posted + rows.revenue.get(ACCOUNT)! !== scope.money) return 'no money is made or lost';
    let charges = paid;
    for (const { amount } of rows.charges.values()) charges += amount;
    if (charges !== rows.revenue.get(ACCOUNT)) return 'nothing is collected but what requests are charged';
    for (const { mode, expired, lease, purse } of nodes) {
      if (purse.free < 0n || purse.held < 0n || purse.unflushed < 0n) return 'no purse is overdrawn';
      if (mode !== 'up' || expired || lease === undefined) continue;
      const backing = rows.leases.get(lease);
      if (purse.free + purse.held + purse.unflushed > (backing ? backing.granted - backing.spent : 0n) + unanswered(lease))
        return 'a node spends no more than its lease is worth';
    }
    for (const [id, request] of requests.entries()) {
      const charged = rows.charges.get(String(id));
      if (charged && (charged.uncollected < 0n || charged.amount < 0n)) return 'no charge is negative';
      if (charged && charged.amount + charged.uncollected > most(request)) return 'nobody pays for what was not delivered';
      if (charged && charged.uncollected > request.excess && !lapsed) return 'nothing within a hold is uncollected unless a lease ran out';
    }
    return undefined;

    /** Charges that the store has taken and whose reply the node has not had. */
    function unanswered(lease: string): bigint {
      let amount = 0n;
      for (const [id, request] of requests.entries())
        if (request.lease === lease && request.amount !== undefined && !request.flushed && rows.charges.has(String(id)))
          amount += request.amount;
      return amount;
    }
  }

  return { initial, next, broken, key };
}

function dueOf({ amount, excess, delivered }: Request): bigint {
  return amount === undefined ? delivered : amount + excess;
}

/** What was delivered, or counted if that is more. */
function most(request: Request): bigint {
  const due = dueOf(request);
  return due > request.delivered ? due : request.delivered;
}

function copy({ rows, nodes, requests, lapsed, refunded, paid, lostReplies, violation }: LeaseState): LeaseState {
  const balances = new Map<string, BalanceRow>();
  for (const [id, balance] of rows.balances) balances.set(id, { ...balance });
  const leases = new Map<string, Lease>();
  for (const [id, lease] of rows.leases) leases.set(id, { ...lease });
  const claims: Claims = new Map();
  for (const [id, ofLease] of rows.claims) if (ofLease.size > 0) claims.set(id, new Map(ofLease));
  return {
    rows: { balances, leases, charges: new Map(rows.charges), claims, revenue: new Map(rows.revenue) },
    nodes: nodes.map((node) => ({ ...node, purse: { ...node.purse } })),
    requests: requests.map((request) => ({ ...request })),
    lapsed,
    refunded,
    paid,
    lostReplies,
    violation,
  };
}

function key({ rows, nodes, requests, lapsed, refunded, lostReplies, violation }: LeaseState): string {
  if (violation) return violation;
  const { posted, reserved, recall } = rows.balances.get(ACCOUNT)!;
  let text = `${posted},${reserved},${recall},${lapsed ? 1 : 0},${refunded ? 1 : 0},${lostReplies}`;
  for (const id of [...rows.leases.keys()].sort())
    text += `|${id},${rows.leases.get(id)!.granted},${rows.leases.get(id)!.spent},${rows.leases.get(id)!.recalled}`;
  for (const id of [...rows.claims.keys()].sort()) text += `|${id}:${Array.from(rows.claims.get(id)!).join(';')}`;
  for (const [id, request] of requests.entries()) {
    const charged = rows.charges.get(String(id));
    if (request.over) {
      text += '|over';
      continue;
    }
    text += `|${request.node},${request.lease},${request.delivered},${request.durable},${request.amount},${request.excess}`;
    if (charged) text += `:${charged.amount},${charged.uncollected},${charged.provisional}`;
  }
  for (const { mode, expired, lease, opened, leases, purse, doubtful, waiting } of nodes) {
    text += `|${mode},${expired},${lease},${opened},${leases},${purse.free},${purse.held},${purse.unflushed},${doubtful}`;
    if (waiting) text += `:${waiting.recall},${waiting.idle.join()}`;
  }
  return text;
}
