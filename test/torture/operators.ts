import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { priceOf } from './script.ts';
import type { Customer } from './traffic.ts';

type OperatorModule = typeof import('../../src/cli/operator.js');
type VerifyModule = typeof import('../../src/billing/verify-ledger.js');

const RICH = 1_000_000n * 1_000_000_000n;
/** A few answers. */
const POOR = priceOf(60) * 4n;

/** What an operator does to the store, by the built command line's own parts. */
export class Operators {
  readonly #operator: OperatorModule['Operator'];
  readonly #verifyLedger: VerifyModule['verifyLedger'];
  readonly #configFile: string;
  /** The ids of grants whose answers have not come, by account. */
  readonly #pending = new Map<string, string>();

  private constructor(operator: OperatorModule['Operator'], verify: VerifyModule['verifyLedger'], configFile: string) {
    this.#operator = operator;
    this.#verifyLedger = verify;
    this.#configFile = configFile;
  }

  static async load(program: string, configFile: string): Promise<Operators> {
    const { Operator } = (await import(join(program, 'cli/operator.js'))) as OperatorModule;
    const { verifyLedger } = (await import(join(program, 'billing/verify-ledger.js'))) as VerifyModule;
    return new Operators(Operator, verifyLedger, configFile);
  }

  customers({ rich, poor }: { rich: number; poor: number }): Promise<Customer[]> {
    return this.#operator.with(
      this.#configFile,
      async (operator) => {
        const keys = await operator.keys();
        const customers: Customer[] = [];
        for (let index = 0; index < rich + poor; index++) {
          const { id: accountId } = await operator.accounts.create(`Customer ${index + 1}`);
          const account = { accountId, environment: 'live' } as const;
          await operator.credits.grant({ ...account, amount: index < rich ? RICH : POOR });
          customers.push({ accountId, key: (await keys.create(account)).key, poor: index >= rich });
        }
        return customers;
      },
      true,
    );
  }

  /** Answers whether the store has taken it; what it has not is tried again the next time, under the same id. */
  async topUp({ accountId }: Customer): Promise<boolean> {
    const id = this.#pending.get(accountId) ?? randomUUID();
    this.#pending.set(accountId, id);
    try {
      await this.#operator.with(this.#configFile, (operator) =>
        operator.credits.grant({ id, accountId, environment: 'live', amount: POOR }),
      );
      this.#pending.delete(accountId);
      return true;
    } catch {
      return false;
    }
  }

  async verify(): Promise<boolean> {
    const { findings } = await this.#operator.with(this.#configFile, ({ database }) => this.#verifyLedger(database));
    for (const finding of findings) process.stderr.write(`${JSON.stringify(finding)}\n`);
    return findings.length === 0;
  }
}
