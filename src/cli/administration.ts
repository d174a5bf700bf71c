import { userInfo } from 'node:os';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core/nest-factory.js';
import { AccountsService } from '../admin/accounts/accounts.service.js';
import { CreditsService } from '../admin/credits/credits.service.js';
import { KeysService } from '../admin/keys/keys.service.js';
import { OnceService } from '../admin/once.service.js';
import { ProviderSwitches } from '../admin/providers/provider-switches.js';
import { ProjectsService } from '../admin/projects/projects.service.js';
import { TokensService } from '../admin/tokens/tokens.service.js';
import { UsersService } from '../admin/users/users.service.js';
import { WebhooksService } from '../admin/webhooks/webhooks.service.js';
import { type Account, AccountStore } from '../auth/account-store.js';
import { authStores } from '../auth/auth-stores.js';
import { type Project, ProjectStore } from '../auth/project-store.js';
import { BalanceSeries } from '../billing/balance-series.js';
import { ChargeReport } from '../billing/charge-report.js';
import { CreditStore } from '../billing/credit-store.js';
import { UsageReport } from '../billing/usage-report.js';
import { Clock, systemClock } from '../common/clock.js';
import type { Config } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { knownOrigin, likelyOrigin } from '../config/dashboard-origin.js';
import { modelOfAlias } from '../config/model-of-alias.js';
import { Creations } from '../database/creations.js';
import { type Beside, Database } from '../database/database.js';
import { openDatabase } from '../database/open-database.js';
import { audited, type Deed, type Done } from '../observability/audit/audit-log.js';
import { RequestHistories } from '../observability/request-history.js';
import { InvitationStore } from '../people/invitations/invitation-store.js';
import { PersonStore } from '../people/person-store.js';
import { SignInLinks } from '../people/sign-in/sign-in-links.js';
import { StoredProviderStore } from '../provider-store/stored-provider-store.js';
import { WebhookEndpointStore } from '../webhooks/webhook-endpoint-store.js';
import { WebhookSender } from '../webhooks/webhook-sender.js';
import { CommandError } from './command-error.js';
import { known } from './common-options.js';

@Module({
  providers: [
    {
      provide: Database,
      inject: [ConfigService],
      useFactory: (config: ConfigService) => openDatabase(config.current.store),
    },
    { provide: Clock, useValue: systemClock },
    Creations,
    ...authStores,
    OnceService,
    AccountsService,
    ProjectsService,
    KeysService,
    TokensService,
    WebhookEndpointStore,
    WebhookSender,
    WebhooksService,
    StoredProviderStore,
    ProviderSwitches,
    PersonStore,
    InvitationStore,
    SignInLinks,
    UsersService,
    CreditStore,
    BalanceSeries,
    CreditsService,
    ChargeReport,
    UsageReport,
    RequestHistories,
  ],
})
class AdministrationModule {}

/** The services of the administration API for one command, which the user of the operating system gives. */
export class Administration {
  readonly accounts: AccountsService;
  readonly projects: ProjectsService;
  readonly keys: KeysService;
  readonly tokens: TokensService;
  readonly webhooks: WebhooksService;
  readonly users: UsersService;
  readonly credits: CreditsService;
  readonly providers: ProviderSwitches;

  private constructor(
    private readonly context: INestApplicationContext,
    /** Who does what, for the audit log. */
    readonly by: Deed,
  ) {
    this.accounts = context.get(AccountsService);
    this.projects = context.get(ProjectsService);
    this.keys = context.get(KeysService);
    this.tokens = context.get(TokensService);
    this.webhooks = context.get(WebhooksService);
    this.users = context.get(UsersService);
    this.credits = context.get(CreditsService);
    this.providers = context.get(ProviderSwitches);
  }

  /** @param action the command, as the audit log names it */
  static async open(config: Config, action: string): Promise<Administration> {
    const settings = { provide: ConfigService, useValue: new ConfigService(config) };
    const module = { module: AdministrationModule, providers: [settings] };
    const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    return new Administration(context, { actor: userName(), actorKind: 'cli', action });
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.database.close();
  }

  get config(): Config {
    return this.get(ConfigService).current;
  }

  get database(): Database {
    return this.get(Database);
  }

  /** The id that a model has in records and prices. @param name may be an alias */
  modelId<Name extends string | undefined>(name: Name): Name | string {
    return name === undefined ? name : modelOfAlias(this.config.routing, name);
  }

  /** @returns what notes the command in the audit log, in the transaction of a change that no service makes */
  audit(done: Done): Beside {
    return audited(this.by, done);
  }

  /** Where the pages are: as the configuration says it, or else as the gateway does that serves. */
  async origin(): Promise<string> {
    const stated = knownOrigin(this.config);
    if (stated !== undefined) return stated;
    const serving = await this.database.db.selectFrom('gateway').select('pages').orderBy('seen_at', 'desc').limit(1).executeTakeFirst();
    return serving?.pages ?? likelyOrigin(this.config);
  }

  /** For what no service reads: lists of all accounts. */
  get<T>(type: Type<T> | (abstract new (...args: never[]) => T)): T {
    return this.context.get(type);
  }

  /**
   * Finds an account by its id or name.
   * @throws CommandError when there is none
   */
  async account(idOrName: string): Promise<Account> {
    return known('account', idOrName, await this.get(AccountStore).find(idOrName));
  }

  /** As account. @returns undefined where none is named */
  async accountId(idOrName: string | undefined): Promise<string | undefined> {
    return idOrName === undefined ? undefined : (await this.account(idOrName)).id;
  }

  /**
   * Finds a project by its id, or by its name among those of an account, or of all. In an account that is given, an id
   * comes before a name.
   * @throws CommandError when there is none, or several
   */
  async project(idOrName: string, accountId?: string): Promise<Project> {
    const all = await this.get(ProjectStore).list(accountId);
    const own = all.find(({ id }) => id === idOrName);
    const named = all.filter((project) => project.name === idOrName && project !== own);
    if (own && named[0] && accountId === undefined) throw await this.#ambiguous(own, named[0]);
    const [found, other] = own ? [own] : named;
    if (other) throw new CommandError(`several accounts have a project '${idOrName}': give its id, see switchyard projects list`);
    return known('project', idOrName, found);
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
    return new Map((await this.get(ProjectStore).list()).map(({ id, name }) => [id, name]));
  }

  /** The name of each account by its id. */
  async accountNames(): Promise<Map<string, string>> {
    return new Map((await this.get(AccountStore).list()).map(({ id, name }) => [id, name]));
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
