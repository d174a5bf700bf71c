import type { AccountTable, ApiKeyTable } from '../database/schema.js';
import type { Selectable } from 'kysely';
import type { Environment, Principal } from './principal.js';
import { CompiledRules, type LazyRules, type RulesText } from './rules/compiled-rules.js';
import type { PrincipalRules, SubjectKind } from './rules/principal-rules.js';

export interface KeyEntry {
  readonly digest: Buffer;
  readonly principal: Principal;
  /** When the key expires, in milliseconds since 1970; Infinity where it never does. */
  readonly expiresAt: number;
}

/** What the store has of a key, as far as a request needs it. */
type KeyRow = Pick<
  Selectable<ApiKeyTable>,
  'id' | 'account_id' | 'project_id' | 'environment' | 'digest' | 'rules' | 'first_id' | 'expires_at' | 'revoked_at'
>;

/** What the store has of an account, as far as a request needs it. */
type AccountRow = Pick<Selectable<AccountTable>, 'id' | 'rules' | 'status'>;

interface Known {
  readonly row: KeyRow;
  /** Absent while its account is not active. */
  readonly entry: KeyEntry | undefined;
}

/** Expired keys that are remembered, so that their clients are told so. */
export const MAX_EXPIRED = 10_000;

/** The valid keys by their digests, each with the rules of key, project and account together. */
export class KeyDirectory {
  readonly #known = new Map<string, Known>();
  readonly #ids = new Map<string, string>();
  /** Without their rules, the one that expired last at the end. */
  readonly #expired = new Map<string, KeyEntry>();
  /** Rules of open projects. */
  readonly #projects = new Map<string, string | null>();
  readonly #accounts = new Map<string, AccountRow>();
  readonly #compiled = new CompiledRules();

  /** @param digest in latin1 */
  find(digest: string): KeyEntry | undefined {
    return this.#known.get(digest)?.entry ?? this.#expired.get(digest);
  }

  withId(id: string): KeyEntry | undefined {
    const digest = this.#ids.get(id);
    return digest === undefined ? undefined : this.#known.get(digest)?.entry;
  }

  /** Whether the key of this id is valid, or will be when its account is active again. */
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
    accounts: readonly AccountRow[],
  ): string[] {
    for (const { id, rules, archived_at } of projects)
      if (archived_at === null) this.#projects.set(id, rules);
      else this.#projects.delete(id);
    for (const account of accounts) this.#accounts.set(account.id, account);
    const ended: string[] = [];
    const changed = new Set([...projects, ...accounts].map(({ id }) => id));
    if (changed.size > 0)
      for (const [digest, { row }] of this.#known)
        if (changed.has(row.account_id) || changed.has(row.project_id ?? '')) this.#set(digest, row, ended);
    for (const row of keys) this.#set(Buffer.from(row.digest, 'hex').toString('latin1'), row, ended);
    return ended;
  }

  /** A key has expired: of it is remembered that alone, as long as there is room. */
  expire({
    id,
    account_id,
    environment,
    digest,
    expires_at,
  }: Pick<KeyRow, 'id' | 'account_id' | 'environment' | 'digest' | 'expires_at'>): void {
    const name = Buffer.from(digest, 'hex').toString('latin1');
    this.#ids.delete(id);
    this.#known.delete(name);
    this.#expired.set(name, {
      digest: Buffer.from(name, 'latin1'),
      principal: new KeyPrincipal(id, account_id, environment),
      expiresAt: Number(expires_at),
    });
    if (this.#expired.size > MAX_EXPIRED) this.#expired.delete(this.#expired.keys().next().value!);
  }

  /** As `expire`, by the id of a valid key. */
  expireId(id: string): void {
    const known = this.#known.get(this.#ids.get(id) ?? '');
    if (known) this.expire(known.row);
  }

  #set(digest: string, row: KeyRow, ended: string[]): void {
    this.#expired.delete(digest);
    // The keys of a project that is not known go with it.
    if (row.revoked_at === null && (row.project_id === null || this.#projects.has(row.project_id))) {
      const active = (this.#accounts.get(row.account_id)?.status ?? 'active') === 'active';
      this.#known.set(digest, { row, entry: active ? this.#entry(digest, row) : undefined });
      this.#ids.set(row.id, digest);
      if (!active) ended.push(row.id);
    } else {
      this.#ids.delete(row.id);
      if (this.#known.delete(digest)) ended.push(row.id);
    }
  }

  #entry(digest: string, { id, account_id, project_id, environment, rules, first_id, expires_at }: KeyRow): KeyEntry {
    const texts: RulesText[] = [];
    const add = (kind: SubjectKind, of: string, text: string | null | undefined) => {
      if (text != null) texts.push({ kind, id: of, text });
    };
    add('key', first_id ?? id, rules);
    if (project_id !== null) add('project', project_id, this.#projects.get(project_id));
    add('account', account_id, this.#accounts.get(account_id)?.rules);
    const principal = new KeyPrincipal(id, account_id, environment, this.#compiled.of(environment, texts));
    return { digest: Buffer.from(digest, 'latin1'), principal, expiresAt: expires_at === null ? Infinity : Number(expires_at) };
  }
}

class KeyPrincipal implements Principal {
  readonly #rules: LazyRules | undefined;

  constructor(
    readonly keyId: string,
    readonly accountId: string,
    readonly environment: Environment,
    rules?: LazyRules,
  ) {
    this.#rules = rules;
    Object.freeze(this);
  }

  get rules(): PrincipalRules | undefined {
    return this.#rules?.value;
  }
}
