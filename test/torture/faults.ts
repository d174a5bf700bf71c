import { setTimeout as wait } from 'node:timers/promises';
import type { TorturedGateway } from './gateway.ts';
import type { Random } from './random.ts';
import type { AuditedPostgres, AuditedStore } from './store.ts';

/** What happens to the gateways and to their store, and how often in one round, whose order is shuffled. */
const onGateways = {
  'killed, restarted at once': 4,
  'killed, restarted within the lease': 2,
  'killed, restarted after the lease': 2,
  'killed, and killed again as it starts': 1,
  'paused within the lease': 1,
  'paused beyond the lease': 3,
  'paused beyond the lease, then killed': 1,
};
const onPostgres = {
  'store killed, back within the lease': 1,
  'store killed, back after the lease': 1,
  'connections cut': 2,
  'a connection’s server process killed': 1,
};

export type Fault = keyof typeof onGateways | keyof typeof onPostgres;

/** Milliseconds at most that a gateway serves before something else happens to it. */
const SERVES = 2_000;

/** Inflicts one fault after another on the gateways. Some last longer than the time between two. */
export class Faults {
  readonly counts = new Map<Fault, number>();
  /** Times that a gateway was killed. */
  kills = 0;
  readonly #gateways: readonly TorturedGateway[];
  readonly #store: AuditedStore;
  readonly #random: Random;
  readonly #leaseTtl: number;
  readonly #running = new Set<Promise<void>>();
  #round: Fault[] = [];
  #storeBusy = false;
  #error: unknown;

  constructor(gateways: readonly TorturedGateway[], store: AuditedStore, random: Random, leaseTtl: number) {
    this.#gateways = gateways;
    this.#store = store;
    this.#random = random;
    this.#leaseTtl = leaseTtl;
  }

  /**
   * Begins the next fault.
   * @throws Error where an earlier one could not be carried out
   */
  async next(): Promise<void> {
    if (this.#error) throw this.#error;
    if (this.#round.length === 0) this.#round = this.#shuffledRound();
    const fault = this.#round.pop()!;
    if (fault in onPostgres) {
      while (this.#storeBusy) await wait(10);
      this.#run(fault, () => this.#onStore(fault as keyof typeof onPostgres));
    } else {
      const gateway = await this.#free();
      this.#run(fault, () => this.#onGateway(fault as keyof typeof onGateways, gateway));
    }
  }

  /** Resolves when everything is up again. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#error) throw this.#error;
    await Promise.all(this.#gateways.map((gateway) => gateway.start()));
  }

  #shuffledRound(): Fault[] {
    const weights = this.#store.engine === 'postgres' ? { ...onGateways, ...onPostgres } : onGateways;
    const round = Object.entries(weights).flatMap(([fault, weight]) => Array.from({ length: weight }, () => fault as Fault));
    return this.#random.shuffled(round);
  }

  #run(fault: Fault, act: () => Promise<void>): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    const running = act().catch((error: unknown) => {
      this.#error ??= error;
    });
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  async #free(): Promise<TorturedGateway> {
    for (;;) {
      const free = this.#gateways.filter((gateway) => gateway.up && !gateway.busy);
      if (free.length > 0) return this.#random.pick(free);
      if (this.#error) throw this.#error;
      await wait(10);
    }
  }

  async #onGateway(fault: keyof typeof onGateways, gateway: TorturedGateway): Promise<void> {
    gateway.busy = true;
    try {
      if (fault.startsWith('paused')) {
        gateway.pause();
        await wait(this.#leaseTtl * (fault === 'paused within the lease' ? 0.4 : 1.3 + 0.7 * this.#random.next()));
        if (!fault.endsWith('killed')) return await gateway.resume();
      }
      this.#kill(gateway);
      if (fault === 'killed, restarted within the lease') await wait(this.#leaseTtl * 0.5);
      if (fault === 'killed, restarted after the lease') await wait(this.#leaseTtl * 1.6);
      if (fault === 'killed, and killed again as it starts') {
        await gateway.startAndKill(this.#random.between(300, 1500));
        this.kills++;
      }
      await gateway.start();
      await wait(SERVES * this.#random.next());
    } finally {
      gateway.busy = false;
    }
  }

  #kill(gateway: TorturedGateway): void {
    gateway.kill();
    this.kills++;
  }

  async #onStore(fault: keyof typeof onPostgres): Promise<void> {
    const store = this.#store as AuditedPostgres;
    this.#storeBusy = true;
    try {
      if (fault === 'connections cut') await store.cut();
      else if (fault === 'a connection’s server process killed') await store.killBackend();
      else if (fault === 'store killed, back within the lease') await store.crash(this.#leaseTtl * 0.3 * this.#random.next());
      else await store.crash(this.#leaseTtl * 1.3);
    } finally {
      this.#storeBusy = false;
    }
  }
}
