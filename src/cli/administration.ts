import { userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core/nest-factory.js';
import { OnceService } from '../admin/once.service.js';
import { services } from '../admin/services.js';
import { type Account, AccountStore } from '../auth/account-store.js';
import { authStores } from '../auth/auth-stores.js';
import { type Project, ProjectStore } from '../auth/project-store.js';
import { BalanceSeries } from '../billing/balance-series.js';
import { ChargeReport } from '../billing/charge-report.js';
import { CreditStore } from '../billing/credit-store.js';
import { UsageReport } from '../billing/usage-report.js';
import { ModelNames } from '../catalogue/model-names.js';
import { ModelSwitchStore } from '../catalogue/model-switch-store.js';
import { PriceStore } from '../catalogue/price-store.js';
import { Clock, systemClock } from '../common/time/clock.js';
import type { Config } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { knownOrigin, likelyOrigin } from '../config/dashboard-origin.js';
import { modelOfAlias } from '../config/model-of-alias.js';
import { Creations } from '../database/creations.js';
import { Database } from '../database/database.js';
import { openDatabase } from '../database/open-database.js';
import type { Deed } from '../observability/audit/audit-log.js';
import { RequestHistories } from '../observability/request-history.js';
import { InvitationStore } from '../people/invitations/invitation-store.js';
import { DashboardAddress } from '../people/dashboard-address.js';
import { MailedInvitations } from '../people/invitations/mailed-invitations.js';
import { MemberStore } from '../people/member-store.js';
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
    {
      provide: ModelNames,
      inject: [ConfigService],
      useFactory: ({ current }: ConfigService) => ({ modelIdOf: (name: string) => modelOfAlias(current.routing, name) }),
    },
    { provide: Clock, useValue: systemClock },
    ...authStores,
    ...Object.values(services),
    OnceService,
    Creations,
    WebhookEndpointStore,
    WebhookSender,
    StoredProviderStore,
    PersonStore,
    MemberStore,
    // Commands mail nothing, and make links to the pages themselves.
    { provide: MailedInvitations, useValue: undefined },
    { provide: DashboardAddress, useValue: undefined },
    InvitationStore,
    SignInLinks,
    CreditStore,
    BalanceSeries,
    ChargeReport,
    UsageReport,
    RequestHistories,
    PriceStore,
    ModelSwitchStore,
  ],
})
class AdministrationModule {}

/** Gateways look for changes more often than this, so that a change is in force by the time its command answers. */
const SEEN_EVERYWHERE_MS = 250;

/** What a command works with beside the services of the administration API. */
class CommandContext {
  constructor(
    private readonly context: INestApplicationContext,
    /** Who does what, for the audit log: the user of the operating system. */
    readonly by: Deed,
  ) {}

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

  /** Resolves as a change does, when it is in force at every gateway. */
  async inForce<T>(change: Promise<T>): Promise<T> {
    const after = await change;
    await wait(SEEN_EVERYWHERE_MS);
    return after;
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

  /** As project. @returns undefined where none is named */
  async projectId(idOrName: string | undefined, accountId: string | undefined): Promise<string | undefined> {
    return idOrName === undefined ? undefined : (await this.project(idOrName, accountId)).id;
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

/** The services of the administration API for one command. */
export type Administration = CommandContext & { readonly [Name in keyof typeof services]: InstanceType<(typeof services)[Name]> };

/** @param action the command, as the audit log names it */
export async function openAdministration(config: Config, action: string): Promise<Administration> {
  const settings = { provide: ConfigService, useValue: new ConfigService(config) };
  const module = { module: AdministrationModule, providers: [settings] };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const admin = new CommandContext(context, { actor: userName(), actorKind: 'cli', action });
  const found = Object.entries<Type>(services).map(([name, service]) => [name, context.get<unknown>(service)]);
  return Object.assign(admin, Object.fromEntries(found)) as Administration;
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
