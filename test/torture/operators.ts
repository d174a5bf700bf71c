import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { priceOf } from './script.ts';
import type { Customer } from './traffic.ts';

const RICH = '1000000';
/** A few answers. */
const POOR = Number(priceOf(60) * 4n) / 1e9;

/** What an operator does to the store, with the built command line. */
export class Operators {
  readonly #command: CommandLine;
  /** The ids of grants that are not confirmed, by account. */
  readonly #pending = new Map<string, string>();

  constructor(program: string, configFile: string) {
    this.#command = commandLine(program, { cwd: dirname(configFile), env: { SWITCHYARD_CONFIG: configFile } });
  }

  async customers({ rich, poor }: { rich: number; poor: number }): Promise<Customer[]> {
    // The first one makes the store.
    const first = await this.#customer('Customer 1', false);
    const others = Array.from({ length: rich + poor - 1 }, (_, index) => this.#customer(`Customer ${index + 2}`, index >= rich - 1));
    return [first, ...(await Promise.all(others))];
  }

  /**
   * Grants credits. A grant that is not confirmed is tried again the next time, under the same id.
   * @returns whether the store has confirmed it
   */
  async topUp({ accountId }: Customer): Promise<boolean> {
    const id = this.#pending.get(accountId) ?? randomUUID();
    this.#pending.set(accountId, id);
    try {
      await this.#command('credits', 'grant', String(POOR), '--account', accountId, '--id', id);
      this.#pending.delete(accountId);
      return true;
    } catch {
      return false;
    }
  }

  async verify(): Promise<boolean> {
    try {
      return ((await this.#command('ledger', 'verify')) as { ok: boolean }).ok;
    } catch (error) {
      process.stderr.write(`${(error as { stdout?: string }).stdout}\n`);
      return false;
    }
  }

  async #customer(name: string, poor: boolean): Promise<Customer> {
    const { id: accountId } = (await this.#command('accounts', 'create', name)) as { id: string };
    await this.#command('credits', 'grant', poor ? String(POOR) : RICH, '--account', accountId);
    const { key } = (await this.#command('keys', 'create', '--account', accountId, '--env', 'live')) as { key: string };
    return { accountId, key, poor };
  }
}
