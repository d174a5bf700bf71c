import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../torture/random.ts';
import type { Audit } from './audit.ts';
import { type Answer, ask, type Asking, messages } from './customer.ts';
import type { HostileGateway, NewCustomer } from './hostile-gateway.ts';
import type { HostileProvider } from './hostile-provider.ts';

/** Nano-credits are settled within. */
const SETTLED = 40_000;
/** Milliseconds without a change after which nothing more is expected. */
const UNCHANGED = 400;
/** Answers after which the gateway knows a model. */
export const KNOWN = 20;

/** Everybody who takes part in an attack. */
export class Scene {
  readonly gateway: HostileGateway;
  readonly provider: HostileProvider;
  readonly audit: Audit;
  readonly attacker: NewCustomer;
  /** Another account. */
  readonly second: NewCustomer;
  /** An account with next to nothing. */
  readonly poor: NewCustomer;
  /** A test key's account. */
  readonly tester: NewCustomer;
  readonly random: Random;
  readonly short: boolean;
  /** Times as long as usual that everything may take. */
  readonly slowness: number;

  constructor(parts: Omit<Scene, 'accounts' | 'ask' | 'settled' | 'charged' | 'teach' | 'many'>) {
    ({
      gateway: this.gateway,
      provider: this.provider,
      audit: this.audit,
      attacker: this.attacker,
      second: this.second,
      poor: this.poor,
      tester: this.tester,
      random: this.random,
      short: this.short,
      slowness: this.slowness,
    } = parts);
  }

  get accounts(): string[] {
    return [this.attacker, this.second, this.poor, this.tester].map(({ account }) => account);
  }

  readonly ask = (body: object | Buffer | string, asking?: Asking, { key }: { readonly key?: string } = this.attacker): Promise<Answer> =>
    ask(this.gateway.url, key, body, asking);

  /**
   * Resolves when nothing of the attackers is held or waited for any more, and what they were charged is in the store.
   */
  async settled(): Promise<void> {
    const deadline = performance.now() + SETTLED;
    let before = '';
    let since = performance.now();
    while (performance.now() < deadline && this.gateway.alive) {
      const { amount, requests } = await this.audit.sums(this.accounts);
      const held = await this.gateway.metric('ledger_held_credits').catch(() => 0);
      // The bystander's own holds are far below a hundredth of a credit.
      const now = `${amount} ${requests} ${held > 0.01}`;
      if (now !== before) since = performance.now();
      before = now;
      if (held <= 0.01 && performance.now() - since > UNCHANGED) return;
      await wait(50);
    }
  }

  /** Nano-credits that the attackers have been charged so far. */
  async charged(): Promise<bigint> {
    return (await this.audit.sums(this.accounts)).amount;
  }

  /** Lets the gateway count whole answers of a model, as many as it needs to know it. */
  async teach(model: string, answers = KNOWN, customer = this.attacker): Promise<void> {
    for (let done = 0; done < answers; done += 5)
      await this.many(5, 5, () => this.ask({ model, stream: true, messages: messages('Say something ordinary.') }, {}, customer));
  }

  /** Does a thing so often, some at a time. */
  readonly many = async <T>(times: number, atATime: number, one: (index: number) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < times) {
        const index = next++;
        results[index] = await one(index);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atATime, times) }, worker));
    return results;
  };
}
