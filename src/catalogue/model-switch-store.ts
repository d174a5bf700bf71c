import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { SWITCHED_OFF } from '../providers/offered-models.js';

/** A model that the operator has switched off. */
export interface ModelSwitch {
  readonly model: string;
  /** Absent: at every provider. */
  readonly provider: string | undefined;
  /** What clients are told. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const MAX_MODEL = 512;
const MAX_MESSAGE = 500;

/** The operator's switches in the store; every gateway follows them within a second. */
@Injectable()
export class ModelSwitchStore {
  constructor(private readonly database: Database) {}

  /**
   * Again with another message: the message is replaced.
   * @param provider only the offer of this provider
   * @throws RangeError when an id or the message is too long
   */
  async disable(model: string, provider?: string, message: string = SWITCHED_OFF): Promise<void> {
    if (!model || model.length > MAX_MODEL) throw new RangeError(`a model’s id has 1 to ${MAX_MODEL} characters`);
    if (!message || message.length > MAX_MESSAGE) throw new RangeError(`a message has 1 to ${MAX_MESSAGE} characters`);
    await this.database.change('model_switch', (trx) =>
      trx
        .insertInto('model_switch')
        .values({ model, provider: provider ?? '', message, created_at: Date.now() })
        .onConflict((conflict) => conflict.columns(['model', 'provider']).doUpdateSet({ message }))
        .execute(),
    );
  }

  /**
   * Lifts the model's switches, or the one of a provider's offer alone.
   * @returns how many there were
   */
  async enable(model: string, provider?: string): Promise<number> {
    return this.database.change('model_switch', async (trx) => {
      let query = trx.deleteFrom('model_switch').where('model', '=', model);
      if (provider !== undefined) query = query.where('provider', '=', provider);
      return (await query.returning('model').execute()).length;
    });
  }

  /** By model and provider. */
  async list(): Promise<ModelSwitch[]> {
    const rows = await this.database.db.selectFrom('model_switch').selectAll().orderBy('model').orderBy('provider').execute();
    return rows.map(({ model, provider, message, created_at }) => ({
      model,
      provider: provider || undefined,
      message,
      createdAt: Number(created_at),
    }));
  }
}
