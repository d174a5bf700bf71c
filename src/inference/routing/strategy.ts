import { createHash } from 'node:crypto';
import type { Offer } from '../../catalogue/offer.js';
import type { OfferHealth } from './offer-health.js';

export const strategies = ['priority', 'weighted', 'cheapest', 'latency', 'throughput', 'sticky'] as const;
export type Strategy = (typeof strategies)[number];

export interface Candidate {
  readonly offer: Offer;
  readonly health: OfferHealth;
  /** Failures are simulated, so they lead to no retry and no pause. */
  readonly simulated?: boolean;
}

export interface Ordering {
  readonly strategy: Strategy;
  /** Requests with the same key go to the same offer while it answers. */
  readonly stickyKey?: string;
  readonly random?: () => number;
  /** What the request will probably cost at each candidate. Called for `cheapest` alone. */
  readonly costs?: () => readonly bigint[];
}

/** The given candidates in the order in which they are to be asked. */
export function ordered(
  candidates: readonly Candidate[],
  { strategy, stickyKey = '', random = Math.random, costs = () => [] }: Ordering,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  switch (strategy) {
    case 'weighted':
      return weighted(candidates, random);
    case 'cheapest':
      return cheapest(candidates, costs());
    case 'latency':
      return twoChoices(candidates, random, ({ health }) => health.latency ?? 0);
    case 'throughput':
      return twoChoices(candidates, random, ({ health }) =>
        health.throughput === undefined ? Number.NEGATIVE_INFINITY : -health.throughput,
      );
    case 'sticky':
      return rendezvous(candidates, stickyKey);
    case 'priority':
    default:
      return candidates;
  }
}

/** Draws without replacement, so that the candidate after a failing one is chosen in proportion to the weights too. */
function weighted(candidates: readonly Candidate[], random: () => number): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, ticket: Math.log(1 - random()) / candidate.offer.weight }))
    .sort((a, b) => b.ticket - a.ticket)
    .map(({ candidate }) => candidate);
}

/** Those that cost the same stay in their order. */
function cheapest(candidates: readonly Candidate[], costs: readonly bigint[]): Candidate[] {
  return candidates
    .map((candidate, index) => ({ candidate, cost: costs[index] ?? 0n }))
    .sort((a, b) => (a.cost < b.cost ? -1 : Number(a.cost > b.cost)))
    .map(({ candidate }) => candidate);
}

/** Share of requests that go to any offer, so that the recovery of the worst of three or more is noticed. */
const EXPLORE = 1 / 32;

/**
 * Of two candidates drawn at random, the better one is first; the others follow from the best to the worst. This is
 * nearly as good as the best choice, and not all nodes choose the same offer. An offer that was never tried counts as
 * the best.
 */
function twoChoices(candidates: readonly Candidate[], random: () => number, cost: (candidate: Candidate) => number): Candidate[] {
  const sorted = candidates.toSorted((a, b) => cost(a) - cost(b));
  const one = Math.floor(random() * sorted.length);
  let other = Math.floor(random() * (sorted.length - 1));
  if (other >= one) other++;
  const [first] = sorted.splice(random() < EXPLORE ? one : Math.min(one, other), 1);
  return [first!, ...sorted];
}

/** Highest-random-weight hashing: a key keeps its offer when other offers are added or removed. */
function rendezvous(candidates: readonly Candidate[], key: string): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, rank: createHash('sha256').update(`${candidate.health.name}\0${key}`).digest('hex') }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ candidate }) => candidate);
}
