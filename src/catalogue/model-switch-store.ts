import { Injectable } from '@nestjs/common';
import { type Beside, Database } from '../database/database.js';
import { SWITCHED_OFF } from '../providers/contract/offered-models.js';

/** A switch by which the operator has taken a model, or its offer at one provider, out of service. */
export interface ModelSwitch {
  readonly model: string;
  /** The provider whose offer is switched off; undefined means all of them. */
  readonly provider: string | undefined;
  /** The message that clients see. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const MAX_MODEL_LENGTH = 512;
export const MAX_MESSAGE_LENGTH = 500;

/** Reads and writes the operator's switches in the store. Every gateway follows them within a second. */
@Injectable()
export class ModelSwitchStore {
  constructor(private readonly database: Database) {}

  /**
   * Switches a model off. Where it is switched off already, the message is replaced.
   * @param provider switches off the offer of this provider alone
   * @throws RangeError when an id or the message is too long
   */
  async disable(model: string, provider?: string, message: string = SWITCHED_OFF, beside?: Beside): Promise<void> {
    if (!model || model.length > MAX_MODEL_LENGTH) throw new RangeError(`a model’s id has 1 to ${MAX_MODEL_LENGTH} characters`);
    if (!message || message.length > MAX_MESSAGE_LENGTH) throw new RangeError(`a message has 1 to ${MAX_MESSAGE_LENGTH} characters`);
    await this.database.change('model_switch', async (trx) => {
      await trx
        .insertInto('model_switch')
        .values({ model, provider: provider ?? '', message, created_at: this.database.now() })
        .onConflict((conflict) => conflict.columns(['model', 'provider']).doUpdateSet({ message }))
        .execute();
      await beside?.(trx, nameOfOffer(model, provider));
    });
  }

  /**
   * Removes all switches of a model, or that of one provider's offer alone.
   * @returns how many there were
   */
  async enable(model: string, provider?: string, beside?: Beside): Promise<number> {
    return this.database.change('model_switch', async (trx) => {
      let query = trx.deleteFrom('model_switch').where('model', '=', model);
      if (provider !== undefined) query = query.where('provider', '=', provider);
      const lifted = (await query.returning('model').execute()).length;
      if (lifted > 0) await beside?.(trx, nameOfOffer(model, provider));
      return lifted;
    });
  }

  /** Lists all switches, ordered by model and provider. */
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

/** The model, or where one provider's offer is meant `provider/model`. */
function nameOfOffer(model: string, provider: string | undefined): string {
  return provider === undefined ? model : `${provider}/${model}`;
}
