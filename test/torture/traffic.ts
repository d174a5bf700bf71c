import { setTimeout as wait } from 'node:timers/promises';
import { type Sent, TortureClient } from './client.ts';
import type { TorturedGateway } from './gateway.ts';
import { Random } from './random.ts';
import type { Script } from './script.ts';

export interface Customer {
  readonly accountId: string;
  readonly key: string;
  /** The customer's credits run out and are topped up, again and again. */
  readonly poor: boolean;
}

/**
 * Clients that send the next request as soon as the last was answered, each to any of the gateways and for any of the
 * customers.
 */
export class Traffic {
  readonly sent: Sent[] = [];
  readonly #client = new TortureClient();
  readonly #gateways: readonly TorturedGateway[];
  readonly #customers: readonly Customer[];
  readonly #clients: Promise<void>[];
  #stopping = false;
  #open = 0;

  constructor(gateways: readonly TorturedGateway[], customers: readonly Customer[], clients: number, seed: number) {
    this.#gateways = gateways;
    this.#customers = customers;
    this.#clients = Array.from({ length: clients }, (_, index) => this.#askOn(new Random(seed * 1000 + index)));
  }

  get open(): number {
    return this.#open;
  }

  /** Resolves when the last answer has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#clients);
    this.#client.close();
  }

  async #askOn(random: Random): Promise<void> {
    while (!this.#stopping) {
      const gateway = random.between(0, this.#gateways.length - 1);
      const run = this.#gateways[gateway]!.run;
      if (!run) {
        await wait(10);
        continue;
      }
      const poor = random.next() < 0.2;
      const account = random.pick([...this.#customers.keys()].filter((index) => this.#customers[index]!.poor === poor));
      const sent: Sent = {
        script: scriptOf(random),
        account,
        gateway,
        run,
        startedAt: performance.now(),
        endedAt: Infinity,
        id: undefined,
        status: 0,
        refusal: '',
        tokens: 0,
        lastRead: 0,
        end: 'broken',
        wrong: undefined,
      };
      this.sent.push(sent);
      this.#open++;
      await this.#client.ask(this.#customers[account]!.key, sent, random.between(0, 40));
      this.#open--;
      if (sent.status !== 200) await wait(random.between(10, 60));
    }
  }
}

/** With the pieces no more than the model generates. */
const MAX_HIDDEN = 100;

function scriptOf(random: Random): Script {
  const common = { pace: random.pick([0, 0, 1, 3, 8, 20]), stream: true, insists: random.next() < 0.8, hidden: 0 };
  const kind = random.next();
  if (kind < 0.12) return { ...common, pieces: random.between(0, 30), end: 'leave', insists: true };
  if (kind < 0.2) return { ...common, pieces: random.between(1, 20), end: 'cut', insists: true };
  if (kind < 0.23) return { ...common, pieces: 1, end: 'refuse' };
  const hidden = common.insists && random.next() < 0.3 ? random.between(1, MAX_HIDDEN) : 0;
  return { ...common, pieces: random.between(1, 60), end: 'stop', stream: kind < 0.88, hidden };
}
