import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/api-error.js';
import { Database } from '../database/database.js';
import { TakenError } from '../database/store-error.js';
import { audited, type Deed } from '../observability/audit/audit-log.js';
import { namesOf } from '../observability/names.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { ApiKeyService } from './api-key.service.js';
import { ApiKeyStore, type NewApiKey } from './api-key-store.js';
import type { Environment, Principal } from './principal.js';

const PREFIX = 'playground:';

/** Whether the key of this id stands for somebody's playground; nobody can choose such an id. */
export function isPlaygroundKey(id: string): boolean {
  return id.startsWith(PREFIX);
}

/**
 * What is generated in the playground is charged by a key of its own for each person, account and environment, so that
 * the records of requests tell who made them, and rules, budgets and the end of a key hold there too. The text of such
 * a key is known to nobody.
 */
@Injectable()
export class PlaygroundKeys {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly store: ApiKeyStore,
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
  ) {}

  /**
   * The principal as which somebody uses the playground of an account.
   * @throws ApiError 403 permission_denied where this key was revoked or has expired, or the account is not active
   */
  async principal(accountId: string, environment: Environment, deed: Deed): Promise<Principal> {
    const who = this.#whoIs(accountId, deed);
    const id = `${PREFIX}${accountId}:${environment}:${who}`;
    const known = this.keys.withId(id);
    if (known) return known;
    if (!(await this.store.find(id))) await this.#make({ id, accountId, environment }, who, deed);
    // Another process may have made it.
    await this.database.look();
    const made = this.keys.withId(id);
    if (!made) throw new ApiError('permission_denied', 'Your playground is off: its key is revoked, or the account is not active.');
    return made;
  }

  /** Members do not learn which operator it was; operators do, from the line of the audit log about the key. */
  #whoIs(accountId: string, { actor, role }: Deed): string {
    return role === 'operator' ? `operator-${this.hasher.hex(`playground of ${accountId}: ${actor}`).slice(0, 16)}` : actor;
  }

  /** A person who is a member too has a name that the others know. */
  async #nameOf(accountId: string, { actor, actorKind, role }: Deed): Promise<string> {
    if (role === 'operator' && !(await this.#isMember(accountId, actor))) return 'an operator';
    const names = await namesOf(this.database, actorKind === 'user' ? 'person' : 'admin_token', [actor]);
    return names.get(actor) ?? actor;
  }

  async #isMember(accountId: string, personId: string): Promise<boolean> {
    const memberships = this.database.db.selectFrom('membership').select('role').where('account_id', '=', accountId);
    return (await memberships.where('person_id', '=', personId).executeTakeFirst()) !== undefined;
  }

  async #make(key: Pick<NewApiKey, 'id' | 'accountId' | 'environment'>, who: string, deed: Deed): Promise<void> {
    const label = `Playground of ${await this.#nameOf(key.accountId, deed)}`.slice(0, 200);
    const metadata = { playground: who.slice(0, 512) };
    try {
      await this.store.create({ ...key, label, metadata }, audited(deed, { accountId: key.accountId, fields: ['environment'] }));
    } catch (error) {
      if (!(error instanceof TakenError)) throw error;
    }
  }
}
