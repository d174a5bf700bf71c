import type { ApiKeyTable } from '../database/schema.js';
import type { Selectable } from 'kysely';
import type { Principal } from './principal.js';
import { combineRules, type RulesOf, type SubjectKind } from './rules/principal-rules.js';
import type { RulesDto } from './rules/rules.dto.js';

export interface KeyEntry {
  readonly digest: Buffer;
  readonly principal: Principal;
  /** When the key expires, in milliseconds since 1970; Infinity where it never does. */
  readonly expiresAt: number;
}

/** What the store has of a key, as far as a request needs it. */
export type KeyRow = Pick<
  Selectable<ApiKeyTable>,
  'id' | 'account_id' | 'project_id' | 'environment' | 'digest' | 'rules' | 'first_id' | 'expires_at' | 'revoked_at'
>;

interface Known {
  readonly row: KeyRow;
  entry: KeyEntry;
}

/** The valid keys by their digests, each with the rules of key, project and account together. */
export class KeyDirectory {
  readonly #known = new Map<string, Known>();
  readonly #ids = new Map<string, string>();
  readonly #projects = new Map<string, { readonly rules: RulesDto; readonly archived: boolean }>();
  readonly #accounts = new Map<string, RulesDto>();

  /** @param digest in latin1 */
  find(digest: string): KeyEntry | undefined {
    return this.#known.get(digest)?.entry;
  }

  withId(id: string): KeyEntry | undefined {
    const digest = this.#ids.get(id);
    return digest === undefined ? undefined : this.find(digest);
  }

  /** Whether the key of this id is valid, or was until it expired. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /**
   * Takes in what has changed.
   * @returns the ids of keys that were valid and are not any more
   */
  update(
    keys: readonly KeyRow[],
    projects: readonly { id: string; rules: string | null; archived_at: bigint | null }[],
    accounts: readonly { id: string; rules: string | null }[],
  ): string[] {
    for (const { id, rules, archived_at } of projects) this.#projects.set(id, { rules: rulesOf(rules), archived: archived_at !== null });
    for (const { id, rules } of accounts) this.#accounts.set(id, rulesOf(rules));
    const ended: string[] = [];
    const changed = new Set([...projects, ...accounts].map(({ id }) => id));
    if (changed.size > 0)
      for (const [digest, { row }] of this.#known)
        if (changed.has(row.account_id) || changed.has(row.project_id ?? '')) this.#set(digest, row, ended);
    for (const row of keys) this.#set(Buffer.from(row.digest, 'hex').toString('latin1'), row, ended);
    return ended;
  }

  #set(digest: string, row: KeyRow, ended: string[]): void {
    const project = row.project_id === null ? undefined : this.#projects.get(row.project_id);
    if (row.revoked_at === null && !project?.archived) {
      this.#known.set(digest, { row, entry: this.#entry(digest, row) });
      this.#ids.set(row.id, digest);
    } else {
      this.#ids.delete(row.id);
      if (this.#known.delete(digest)) ended.push(row.id);
    }
  }

  #entry(digest: string, { id, account_id, project_id, environment, rules, first_id, expires_at }: KeyRow): KeyEntry {
    const sources: RulesOf[] = [];
    const add = (kind: SubjectKind, of: string | null, given: RulesDto | undefined) => {
      if (of !== null && given) sources.push({ kind, id: of, rules: given });
    };
    add('key', first_id ?? id, rules === null ? undefined : rulesOf(rules));
    add('project', project_id, project_id === null ? undefined : this.#projects.get(project_id)?.rules);
    add('account', account_id, this.#accounts.get(account_id));
    const principal = Object.freeze({ keyId: id, accountId: account_id, environment, rules: combineRules(environment, sources) });
    return { digest: Buffer.from(digest, 'latin1'), principal, expiresAt: expires_at === null ? Infinity : Number(expires_at) };
  }
}

/** The store has only what was checked when it was written. */
function rulesOf(text: string | null): RulesDto {
  return (text === null ? {} : JSON.parse(text)) as RulesDto;
}
