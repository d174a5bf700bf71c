import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../auth/base62.js';
import { ApiError } from '../common/api-error.js';
import { Creations } from '../database/creations.js';
import type { Beside } from '../database/database.js';
import { TakenError, unlessTaken } from '../database/store-error.js';
import { audited, type Deed } from '../observability/audit/audit-log.js';
import { canonical } from '../observability/audit/changed-fields.js';
import { found } from './preconditions.js';

/** Something that is to be made, and what makes and finds it. */
export interface Making<T> {
  /** As it stands in messages: `account`. */
  readonly kind: string;
  /** Chosen by the client, so that a repetition makes nothing new; absent: made here. */
  readonly id: string | undefined;
  /** What an id that is made here begins with: `acct`. */
  readonly prefix: string;
  /** Makes an id where those of the prefix are none of the kind. */
  readonly newId?: () => string;
  /** The account that it will belong to. */
  readonly accountId?: string | undefined;
  /** What the client has asked for. */
  readonly content: object;
  /** The fields that the audit log names; absent: those of the content. */
  readonly fields?: readonly string[];
  readonly deed: Deed;
  readonly make: (id: string, beside: Beside) => Promise<T>;
  readonly find: (id: string) => Promise<T | undefined>;
}

/**
 * Makes things once: the same id with the same content again answers what there is, and changes nothing. Every making
 * is a line of the audit log.
 */
@Injectable()
export class OnceService {
  constructor(private readonly creations: Creations) {}

  /** @throws ApiError 409 where the id was used for something else, and what `make` and `find` throw */
  async once<T>(making: Making<T>): Promise<T> {
    const { kind, prefix, newId = () => `${prefix}_${randomBase62(16)}`, content, accountId, deed, make, find } = making;
    const { fields = fieldsOf(content) } = making;
    const id = making.id ?? newId();
    const log = audited(deed, { accountId: accountId ?? (kind === 'account' ? id : undefined), fields });
    if (making.id === undefined) return make(id, log);
    const name = `${kind}/${id}`;
    const digest = digestOf([accountId ?? null, content]);
    const made = async (): Promise<T | undefined> => {
      const known = await this.creations.digestOf(name);
      if (known === undefined) return undefined;
      if (known !== digest) throw new ApiError('idempotency_conflict', `The id '${id}' was used before to make another ${kind}.`);
      return found(kind, id, await find(id));
    };
    const note = this.creations.note(name, digest);
    const earlier = await made();
    if (earlier !== undefined) return earlier;
    try {
      return await make(id, async (trx, subject, rights) => {
        await unlessTaken(`the id ${id} is taken`, () => note(trx, subject));
        await log(trx, subject, rights);
      });
    } catch (error) {
      // Another request may have made the same at this moment.
      const same = isLate(error) ? await made() : undefined;
      if (same !== undefined) return same;
      throw error;
    }
  }
}

/** Whether another request with the same id may have been the cause. */
function isLate(error: unknown): boolean {
  return error instanceof TakenError || (error instanceof ApiError && error.code === 'precondition_failed');
}

/** The names of the fields that are there. */
export function fieldsOf(content: object): string[] {
  return Object.entries(content).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

function digestOf(content: unknown): string {
  return createHash('sha256').update(canonical(content)).digest('hex');
}
