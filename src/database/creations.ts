import { Injectable } from '@nestjs/common';
import { type Beside, Database } from './database.js';

/** What ids that clients have chosen were first used for, so that a repetition can be told from another use. */
@Injectable()
export class Creations {
  constructor(private readonly database: Database) {}

  /** @param id `kind/id` */
  async digestOf(id: string): Promise<string | undefined> {
    const row = await this.database.db.selectFrom('creation').select('digest').where('id', '=', id).executeTakeFirst();
    return row?.digest;
  }

  /** @returns what notes it in the transaction that makes it, and fails there where the id was used before */
  note(id: string, digest: string): Beside {
    return (trx) => trx.insertInto('creation').values({ id, digest, created_at: this.database.now() }).execute();
  }
}
