import type { Transaction } from 'kysely';
import type { Schema } from '../../database/schema.js';
import type { Find } from '../verify-references.js';
import { namesFor, readAllKeys } from './budget-rows.js';

interface UsageOfBudgets {
  readonly request_id: string;
  readonly key_id: string;
  readonly amount: bigint;
}

/** Compares what budgets have spent with the usage rows that count in them, and what they have shared out. */
export class BudgetCheck {
  private constructor(
    private readonly budgets: readonly { name: string; spent: bigint; reserved: bigint; budgeted: bigint }[],
    private readonly keys: Awaited<ReturnType<typeof readAllKeys>>,
    private readonly sums: Map<string, bigint>,
  ) {}

  static async begin(trx: Transaction<Schema>): Promise<BudgetCheck> {
    const budgets = await trx
      .selectFrom('budget')
      .innerJoin('balance', (join) =>
        join.onRef('balance.account_id', '=', 'budget.account_id').onRef('balance.environment', '=', 'budget.environment'),
      )
      .select(['name', 'spent', 'budget.reserved', 'budgeted'])
      .orderBy('name')
      .execute();
    const keys = budgets.length === 0 ? new Map() : await readAllKeys(trx);
    return new BudgetCheck(budgets, keys, new Map(budgets.map(({ name }) => [name, 0n])));
  }

  count({ request_id, key_id, amount }: UsageOfBudgets): void {
    const key = this.keys.get(key_id);
    if (!key || amount === 0n) return;
    for (const name of namesFor(key, request_id)) {
      const sum = this.sums.get(name);
      if (sum !== undefined) this.sums.set(name, sum + amount);
    }
  }

  /** To be called when all usage rows were counted. */
  async end(trx: Transaction<Schema>, find: Find): Promise<void> {
    const shared = new Map<string, bigint>();
    const shares = await trx.selectFrom('budget_share').select(['budget', 'amount']).execute();
    for (const { budget, amount } of shares) shared.set(budget, (shared.get(budget) ?? 0n) + amount);
    for (const { name, spent, reserved, budgeted } of this.budgets) {
      find('a budget has spent what its requests were charged', `budget ${name}`, this.sums.get(name)!, spent);
      find('what a budget has shared out is what its shares are worth', `budget ${name}`, shared.get(name) ?? 0n, reserved);
      find('a balance with a budget says so', `budget ${name}`, 1n, budgeted > 0n ? 1n : 0n);
    }
  }
}
