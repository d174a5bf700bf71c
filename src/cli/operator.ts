import { userInfo } from 'node:os';
import { type Account, AccountStore } from '../auth/account-store.js';
import { AdminTokenStore } from '../auth/administration/admin-token-store.js';
import { ApiKeyHasher } from '../auth/api-key-hasher.js';
import { ApiKeyStore } from '../auth/api-key-store.js';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { loadPepper } from '../auth/pepper.js';
import { type Project, ProjectStore } from '../auth/project-store.js';
import { CreditStore } from '../billing/credit-store.js';
import { ChargeReport } from '../billing/charge-report.js';
import { UsageReport } from '../billing/usage-report.js';
import type { Config } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { knownOrigin, likelyOrigin } from '../config/dashboard-origin.js';
import { modelOfAlias } from '../config/model-of-alias.js';
import type { Beside, Database } from '../database/database.js';
import { openDatabase } from '../database/open-database.js';
import { audited, type Done } from '../observability/audit/audit-log.js';
import { changedFields, wireNames } from '../observability/audit/changed-fields.js';
import { StoredProviderStore } from '../provider-store/stored-provider-store.js';
import { InvitationStore } from '../people/invitations/invitation-store.js';
import { PersonStore } from '../people/person-store.js';
import { SignInLinks } from '../people/sign-in/sign-in-links.js';
import { requireStore } from './administer.js';
import { CommandError } from './command-error.js';
import { seenEverywhere } from './common-options.js';
import { readConfig } from './read-config.js';

/** The stores of the gateway, opened for the command line beside it. */
export class Operator {
  readonly accounts: AccountStore;
  readonly projects: ProjectStore;
  readonly credits: CreditStore;
  readonly usage: UsageReport;
  readonly charges: ChargeReport;

  private constructor(
    readonly config: Config,
    readonly database: Database,
  ) {
    this.accounts = new AccountStore(database);
    this.projects = new ProjectStore(database, new ConfigService(config));
    this.credits = new CreditStore(database);
    this.usage = new UsageReport(database);
    this.charges = new ChargeReport(database);
  }

  /**
   * Opens the store for one command, and closes it whatever happens.
   * @param create true for the one command that may begin a new store; for any other a wrong folder would look like an
   * empty store
   */
  static async with<T>(configFile: string | undefined, work: (operator: Operator) => Promise<T>, create = false): Promise<T> {
    const config = readConfig(configFile);
    if (!create) requireStore(config);
    const database = await openDatabase(config.store);
    try {
      return await work(new Operator(config, database));
    } finally {
      await database.close();
    }
  }

  /** The id that a model has in records and prices. @param name may be an alias */
  modelId<Name extends string | undefined>(name: Name): Name | string {
    return name === undefined ? name : modelOfAlias(this.config.routing, name);
  }

  async keys(): Promise<ApiKeyStore> {
    return new ApiKeyStore(this.database, await this.#hasher(), new ConfigService(this.config));
  }

  async tokens(): Promise<AdminTokenStore> {
    return new AdminTokenStore(this.database, await this.#hasher(), new ConfigService(this.config));
  }

  async people(): Promise<{ store: PersonStore; invitations: InvitationStore; links: SignInLinks }> {
    const config = new ConfigService(this.config);
    const hasher = await this.#hasher();
    return {
      store: new PersonStore(this.database),
      invitations: new InvitationStore(this.database, hasher, config),
      links: new SignInLinks(this.database, hasher, config),
    };
  }

  /** @returns what notes in the audit log, in the transaction of a change, which command has made it */
  audit(action: string, done: Done): Beside {
    return audited({ actor: userName(), actorKind: 'cli', action }, done);
  }

  /**
   * Changes the fields that differ from what there is, with a line of the audit log that names them, and resolves when
   * the change is in force at every gateway. Where none differs, nothing changes.
   * @param wanted undefined leaves a field as it is
   * @returns what `store` answers
   */
  async change<T extends object, W extends object>(
    action: string,
    accountId: string | undefined,
    now: T,
    wanted: W,
    store: (fields: Partial<W>, options: { readonly beside: Beside }) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const fields = changedFields(now, wanted);
    const names = wireNames(fields);
    if (names.length === 0) return now;
    const changed = await store(fields, { beside: this.audit(action, { accountId, fields: names }) });
    await seenEverywhere();
    return changed;
  }

  /** Where the pages are: as the configuration says it, or else as the gateway does that serves. */
  async origin(): Promise<string> {
    const known = knownOrigin(this.config);
    if (known !== undefined) return known;
    const serving = await this.database.db.selectFrom('gateway').select('pages').orderBy('seen_at', 'desc').limit(1).executeTakeFirst();
    return serving?.pages ?? likelyOrigin(this.config);
  }

  async storedProviders(): Promise<StoredProviderStore> {
    return new StoredProviderStore(this.database, new DerivedSecrets(await loadPepper(this.config, this.database)));
  }

  /**
   * Finds an account by its id or name.
   * @throws CommandError when there is none
   */
  async account(idOrName: string): Promise<Account> {
    const account = await this.accounts.find(idOrName);
    if (!account) throw new CommandError(`there is no account '${idOrName}': see switchyard accounts list`);
    return account;
  }

  /**
   * Finds a project by its id, or by its name among those of an account, or of all. In an account that is given, an id
   * comes before a name.
   * @throws CommandError when there is none, or several
   */
  async project(idOrName: string, accountId?: string): Promise<Project> {
    const all = await this.projects.list(accountId);
    const own = all.find(({ id }) => id === idOrName);
    const named = all.filter((project) => project.name === idOrName && project !== own);
    if (own && named[0] && accountId === undefined) throw await this.#ambiguous(own, named[0]);
    const [found, other] = own ? [own] : named;
    if (!found) throw new CommandError(`there is no project '${idOrName}': see switchyard projects list`);
    if (other) throw new CommandError(`several accounts have a project '${idOrName}': give its id, see switchyard projects list`);
    return found;
  }

  async #ambiguous({ id, accountId }: Project, named: Project): Promise<CommandError> {
    const accounts = await this.accountNames();
    return new CommandError(
      `'${id}' is the id of a project of ${accounts.get(accountId)} and the name of ${named.id} of ${accounts.get(named.accountId)}: ` +
        `name the account with --account, in which an id comes before a name, or give the id ${named.id}`,
    );
  }

  /** The name of each project by its id. */
  async projectNames(): Promise<Map<string, string>> {
    return new Map((await this.projects.list()).map(({ id, name }) => [id, name]));
  }

  async #hasher(): Promise<ApiKeyHasher> {
    return new ApiKeyHasher(await loadPepper(this.config, this.database));
  }

  /** The name of each account by its id. */
  async accountNames(): Promise<Map<string, string>> {
    return new Map((await this.accounts.list()).map(({ id, name }) => [id, name]));
  }
}

/** The user of the operating system who runs the command. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
