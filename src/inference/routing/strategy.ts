import { createHash } from 'node:crypto';
import type { Offer } from '../../catalogue/offer.js';
import { formatCredits } from '../../common/prices/credits.js';
import type { Strategy } from '../../wire/routing-strategy.js';
import type { OfferHealth } from './offer-health.js';

export interface Candidate {
  readonly offer: Offer;
  readonly health: OfferHealth;
  /** Failures are simulated, so they lead to no retry and no pause. */
  readonly simulated?: boolean;
}

interface Ordering {
  readonly strategy: Strategy;
  /** Requests with the same key go to the same offer while it answers. */
  readonly stickyKey?: string;
  readonly random?: () => number;
  /** What the request will probably cost at each candidate. Called for `cheapest` alone. */
  readonly costs?: () => readonly bigint[];
}

interface RoutingStrategy {
  readonly order: (candidates: readonly Candidate[], asked: Required<Ordering>) => readonly Candidate[];
  /**
   * Why a candidate has its place, in a sentence for operators.
   * @param place counts from 1
   * @param cost what the request will probably cost there, in nano-credits
   */
  readonly reason: (candidate: Candidate, place: number, cost: bigint) => string;
}

const byName: Readonly<Record<Strategy, RoutingStrategy>> = {
  priority: {
    order: (candidates) => candidates,
    reason: (_, place) => `Place ${place} in the order of preference.`,
  },
  weighted: {
    order: (candidates, { random }) => weighted(candidates, random),
    reason: ({ offer }, place) => `Drawn for place ${place} with the weight ${offer.weight}; each request draws anew.`,
  },
  cheapest: {
    order: (candidates, { costs }) => cheapest(candidates, costs()),
    reason: (_candidate, _place, cost) => `It will probably cost ${formatCredits(cost)} credits.`,
  },
  latency: {
    order: (candidates, { random }) => twoChoices(candidates, random, ({ health }) => health.latency ?? 0),
    reason: ({ health }) => `First token after ${known(health.latency, 'ms')}, its queue counted; of two drawn offers the faster is first.`,
  },
  throughput: {
    order: (candidates, { random }) => twoChoices(candidates, random, ({ health }) => -(health.throughput ?? Number.POSITIVE_INFINITY)),
    reason: ({ health }) => `${known(health.throughput, 'tokens a second')}; of two drawn offers the faster is first.`,
  },
  sticky: {
    order: (candidates, { stickyKey }) => rendezvous(candidates, stickyKey),
    reason: (_, place) => `Place ${place} for this conversation, by its hash.`,
  },
};

/** The given candidates in the order in which they are to be asked. */
export function ordered(
  candidates: readonly Candidate[],
  { strategy, stickyKey = '', random = Math.random, costs = () => [] }: Ordering,
): readonly Candidate[] {
  return candidates.length < 2 ? candidates : byName[strategy].order(candidates, { strategy, stickyKey, random, costs });
}

export function reasonOf(strategy: Strategy, ...placed: Parameters<RoutingStrategy['reason']>): string {
  return byName[strategy].reason(...placed);
}

function known(value: number | undefined, unit: string): string {
  return value === undefined ? 'A speed that is not known yet' : `${Math.round(value)} ${unit}`;
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
