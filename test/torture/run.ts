import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.ts';
import { type Comparison, compare } from './compare.ts';
import { type Fault, Faults } from './faults.ts';
import { TorturedGateway } from './gateway.ts';
import type { Outage } from './lapses.ts';
import { Operators } from './operators.ts';
import { Random } from './random.ts';
import { play, PRICE } from './script.ts';
import { AuditedPostgres, AuditedSqlite, type AuditedStore, type Held } from './store.ts';
import { type Customer, Traffic } from './traffic.ts';

export interface Options {
  readonly engine: 'sqlite' | 'postgres';
  /** Processes; SQLite has one. */
  readonly gateways: number;
  readonly clients: number;
  readonly kills: number;
  /** At most; fewer kills than asked for then fail the run. */
  readonly seconds: number;
  /** Milliseconds from one fault to the next, on average. */
  readonly every: number;
  /** Milliseconds. */
  readonly lease: number;
  /** Milliseconds that a renewal of a lease may be late on a busy machine. */
  readonly late: number;
  readonly seed: number;
  /** Folder of the build. */
  readonly program: string;
}

export interface Outcome {
  readonly seconds: number;
  readonly kills: number;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly comparison: Comparison;
  readonly requests: number;
  /** How many had which HTTP status, and what it said. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Answers that break the wire contract, and gateways that did what no fault explains. */
  readonly troubles: readonly string[];
  readonly snapshots: number;
  readonly badSnapshots: number;
  /** What was still held when it should have been given back. */
  readonly stranded: Held | undefined;
  /** Milliseconds from the end of the load until nothing was held any more. */
  readonly returnedAfter: number;
  readonly verified: boolean;
  /** Every fault with its times, to be read by a person. */
  readonly log: readonly string[];
}

const SNAPSHOT_EVERY = 100;
const TOP_UP_EVERY = 2_000;
/** Milliseconds without a fault at the end. */
const CALM_AT_END = 1_000;
const PROGRESS_EVERY = 5_000;
const PEPPER = 'a pepper of at least thirty-two characters';

/** One run on one engine: load and faults until enough gateways were killed, then no faults, then the comparison. */
export async function run(options: Options, progress: (line: string) => void): Promise<Outcome> {
  const { engine, seed, lease } = options;
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-torture-'));
  const names = engine === 'sqlite' ? ['gateway'] : Array.from({ length: options.gateways }, (_, index) => `gateway-${index + 1}`);
  const upstream = await LoopbackUpstream.start();
  upstream.replies((request) => {
    upstream.requests.length = 0;
    return play(request);
  });
  const store = engine === 'sqlite' ? new AuditedSqlite(join(folder, names[0]!)) : await AuditedPostgres.start();
  const gateways = names.map(
    (name) => new TorturedGateway(name, options.program, join(folder, name), configOf(upstream, store.settings(join(folder, name)), lease)),
  );
  try {
    const operators = new Operators(options.program, gateways[0]!.configFile);
    const customers = await operators.customers({ rich: 2, poor: 1 });
    await store.audit(lease);
    await Promise.all(gateways.map((gateway) => gateway.start()));

    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    const faults = new Faults(gateways, store, new Random(seed), lease);
    const traffic = new Traffic(gateways, customers, options.clients, seed);
    const watch = new Watch(store);
    const topUps = setInterval(() => void topUp(operators, customers), TOP_UP_EVERY);
    const tell = setInterval(
      () =>
        progress(
          `${seconds().toFixed(0)} s, ${faults.kills} of ${options.kills} kills, ${traffic.sent.length} requests, ${traffic.open} open, ` +
            `${gateways.filter(({ up }) => up).length} of ${gateways.length} gateways up, ${watch.snapshots} snapshots`,
        ),
      PROGRESS_EVERY,
    );
    const random = new Random(seed + 1);
    try {
      await wait(options.every);
      while (faults.kills < options.kills && seconds() < options.seconds) {
        await faults.next();
        await wait(options.every * (0.5 + random.next()));
      }
      progress('the faults are over, the answers end');
      await faults.settle();
      await wait(CALM_AT_END);
      await traffic.stop();
    } finally {
      clearInterval(topUps);
      clearInterval(tell);
    }
    const { stranded, returnedAfter } = await returned(store, lease);
    await watch.stop();
    const storeOutages = store instanceof AuditedPostgres ? store.outages : [];
    const byNode = new Map(gateways.flatMap((gateway) => gateway.runs.map((one) => [one.node, one])));
    const outagesOf = (node: string) => byNode.get(node)?.outages.concat(storeOutages);
    const comparison = compare(traffic.sent, await store.usage(), {
      lapses: await store.lapses(),
      outagesOf,
      poor: (account) => customers[account]!.poor,
      lease,
      late: options.late,
    });
    const verified = await operators.verify();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    return {
      seconds: seconds(),
      kills: faults.kills,
      faults: faults.counts,
      comparison,
      requests: traffic.sent.length,
      statuses: countBy(traffic.sent, ({ status, refusal }) => `${status || 'no answer'} ${refusal}`),
      troubles: [
        ...gateways.flatMap(({ troubles }) => troubles),
        ...traffic.sent.filter(({ end }) => end === 'stuck').map((one) => `a request did not end: ${JSON.stringify(one)}`),
        ...traffic.sent.filter(({ wrong }) => wrong).map(({ id, wrong }) => `request ${id}: ${wrong}`),
      ],
      snapshots: watch.snapshots,
      badSnapshots: watch.bad,
      stranded,
      returnedAfter,
      verified,
      log: logOf([...byNode.values()].flatMap(({ outages }) => outages).concat(storeOutages)),
    };
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.dispose()));
    await store.close();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function configOf(upstream: LoopbackUpstream, store: object, lease: number): object {
  const facts = { pricing: PRICE, context_length: 10_000, max_tokens: 160 };
  const offer = (model: string) => ({ base_url: `${upstream.origin}/v1`, models: { [model]: facts } });
  return {
    server: { port: 0 },
    store: { ...store, lease_ttl: lease },
    keys: { pepper: PEPPER },
    providers: { steady: offer('m'), shaky: offer('failing') },
    // The prompts have 6 bytes for each token that the provider counts, so that what is left early has an exact price.
    routing: { retries: 0, probe_interval: 0, calibrate: false },
    observability: { log_level: 'error' },
  };
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** On the clock of everything that the comparison reports. */
function logOf(outages: readonly Outage[]): string[] {
  return [...outages]
    .sort((one, other) => one.from - other.from)
    .map(({ what, from, to }) => `${from.toFixed(0)} ms ${what}${to < Infinity ? ` until ${to.toFixed(0)} ms` : ''}`);
}

async function topUp(operators: Operators, customers: readonly Customer[]): Promise<void> {
  for (const customer of customers) if (customer.poor) await operators.topUp(customer);
}

/** Waits until nothing is held any more, at most as long as leases may live without their gateways. */
export async function returned(store: AuditedStore, lease: number): Promise<{ stranded: Held | undefined; returnedAfter: number }> {
  const began = performance.now();
  for (;;) {
    const held = await store.held();
    const returnedAfter = performance.now() - began;
    if (held && held.leases + held.reserved + held.inflight === 0n) return { stranded: undefined, returnedAfter };
    if (returnedAfter > 2 * lease + 2_000) return { stranded: held, returnedAfter };
    await wait(50);
  }
}

/** Takes snapshots of the store all the time. */
class Watch {
  snapshots = 0;
  bad = 0;
  #stopping = false;
  readonly #store: AuditedStore;
  readonly #watching: Promise<void>;

  constructor(store: AuditedStore) {
    this.#store = store;
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#stopping) {
      const snapshot = await this.#store.snapshot();
      if (snapshot) this.snapshots++;
      if (snapshot && Object.values(snapshot).some((count) => count !== 0n)) this.bad++;
      await wait(SNAPSHOT_EVERY);
    }
  }
}
