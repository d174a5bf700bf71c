import { explore } from '../../src/billing/protocol/testing/explore.js';
import { leaseMachine, protocol, type Scope } from '../../src/billing/protocol/testing/lease-machine.js';
import { longForm } from '../support/long-form.js';

const twoNodes: Scope = { money: 2n, hold: 1n, excess: 0n, nodes: 2, requests: 2, leases: 1, lostReplies: 0 };
const oneUnit: Scope = { ...twoNodes, money: 1n };
const lostReplies: Scope = { ...twoNodes, nodes: 1, leases: 2, lostReplies: 1 };

/**
 * The smaller ones are explored beside the source, where each law is seen to break, too. Where providers may count
 * beyond the hold, everything happens that happens where they do not.
 */
describe('the lease protocol, in every order of events', () => {
  /** Hundreds of thousands of states. */
  const large: [string, Scope][] = [
    ['two nodes and not enough for both', { ...twoNodes, money: 3n, hold: 2n }],
    ['two nodes, and providers that count beyond the hold', { ...twoNodes, excess: 1n }],
  ];
  it.each<[string, Scope]>([
    ...(longForm ? large : []),
    ['two nodes and one request’s worth of money', oneUnit],
    ['three nodes and one request’s worth of money', { ...oneUnit, nodes: 3, requests: 1 }],
    ['two nodes and replies that get lost', { ...oneUnit, requests: 1, leases: 2, lostReplies: 1 }],
    ['providers that count beyond the hold, and lost replies', { ...lostReplies, money: 3n, excess: 1n }],
    ['providers that count beyond the hold, and money that another node has', { ...twoNodes, excess: 1n, requests: 1, lostReplies: 1 }],
  ])(
    'keeps its laws: %s',
    (_what, scope) => {
      const { counterexample, states } = explore(leaseMachine(scope, protocol));
      expect(counterexample).toBeUndefined();
      expect(states).toBeGreaterThan(20_000);
    },
    300_000,
  );
});
