import type { Defaulted, DefaultedInt, EnvironmentColumn, Int, OptionalInt } from './columns.js';
import type { LimitBucketTable, LimitPlaceTable } from './limit-tables.js';
import type { StoredProviderTable } from './stored-provider-table.js';
import type { StoredResponseTable } from './stored-response-table.js';
import type { IdempotencyKeyTable, StoredSpaceTable } from './stored-space-table.js';
import type { GatewayTable, PerformanceHistoryTable, PerformanceTable } from './performance-tables.js';
import type {
  InvitationTable,
  MembershipTable,
  OidcIdentityTable,
  PersonTable,
  SessionTable,
  SignInFailureTable,
  SignInLinkTable,
} from './people-tables.js';
import type {
  LowBalanceWatchTable,
  ProviderOutageTable,
  ProviderStatusTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
} from './webhook-tables.js';

/** Times are milliseconds since 1970; amounts are nano-credits; prices are nano-credits per 1,000 tokens. */
export interface Schema {
  account: AccountTable;
  project: ProjectTable;
  balance: BalanceTable;
  budget: BudgetTable;
  budget_share: BudgetShareTable;
  transfer: TransferTable;
  lease: LeaseTable;
  claim: ClaimTable;
  inflight: InflightTable;
  usage: UsageTable;
  price: PriceTable;
  api_key: ApiKeyTable;
  key_use: KeyUseTable;
  counter: CounterTable;
  setting: SettingTable;
  request_record: RequestRecordTable;
  model_switch: ModelSwitchTable;
  performance: PerformanceTable;
  performance_history: PerformanceHistoryTable;
  gateway: GatewayTable;
  request_text: RequestTextTable;
  idempotency_key: IdempotencyKeyTable;
  stored_space: StoredSpaceTable;
  admin_token: AdminTokenTable;
  audit: AuditTable;
  creation: CreationTable;
  limit_bucket: LimitBucketTable;
  limit_place: LimitPlaceTable;
  webhook_endpoint: WebhookEndpointTable;
  webhook_delivery: WebhookDeliveryTable;
  low_balance_watch: LowBalanceWatchTable;
  provider_status: ProviderStatusTable;
  provider_outage: ProviderOutageTable;
  stored_provider: StoredProviderTable;
  stored_response: StoredResponseTable;
  person: PersonTable;
  membership: MembershipTable;
  session: SessionTable;
  sign_in_link: SignInLinkTable;
  invitation: InvitationTable;
  oidc_identity: OidcIdentityTable;
  sign_in_failure: SignInFailureTable;
}

/**
 * A customer (organisation), or one of the two system accounts, which are the other side of every movement of money.
 */
export interface AccountTable {
  id: string;
  name: string;
  kind: 'customer' | 'system';
  created_at: Int;
  /** JSON, as auth/rules/rules.dto.ts; null where there are none. */
  rules: Defaulted<string | null>;
  status: Defaulted<'active' | 'suspended' | 'closed'>;
  /** As `api_key.version`, of the last change of rules and status; 0 where they never changed. */
  version: DefaultedInt;
}

/** What keys of one account have in common: rules, limits and budgets. */
export interface ProjectTable {
  id: string;
  account_id: string;
  name: string;
  /** As `account.rules`. */
  rules: Defaulted<string | null>;
  /** Of `rules`. */
  rules_bytes: DefaultedInt;
  created_at: Int;
  /** From then on no key is made in it, and its keys are refused. */
  archived_at: OptionalInt;
  /** As `api_key.version`. */
  version: Int;
}

/**
 * A customer can spend `posted - reserved`, which is never negative; a system account's balance may be. The sum of all
 * balances is 0.
 */
interface BalanceTable {
  account_id: string;
  environment: EnvironmentColumn;
  kind: 'customer' | 'system';
  posted: Int;
  reserved: Int;
  /** Number of the last recall. */
  recall: DefaultedInt;
  /** The time until which a request may wait for the answers to it. */
  recall_until: DefaultedInt;
  /** How many rows of `budget` it was given, which count what is charged. */
  budgeted: DefaultedInt;
}

/**
 * What was spent in one period of a budget, by all usage rows of the requests that came in it: `ceiling - spent -
 * reserved` may still be shared out. Rows come with the first use of a budget, and stay.
 */
interface BudgetTable {
  /** Subject, window and period (billing/hold/budget-period.ts). */
  name: string;
  account_id: string;
  environment: EnvironmentColumn;
  /** The limit, as it was when a process last asked for a share. */
  ceiling: Int;
  spent: Int;
  /** The sum of its shares. */
  reserved: Int;
  /** As `balance.recall`. */
  recall: DefaultedInt;
  /** As `balance.recall_until`. */
  recall_until: DefaultedInt;
  /** The limit that webhooks were told is reached: it is told again where it was raised since. */
  told_limit: Defaulted<bigint | null>;
}

/** What one gateway process may let requests spend of a budget until `expires_at`: what a lease is of a balance. */
interface BudgetShareTable {
  id: string;
  budget: string;
  node_id: string;
  amount: Int;
  /** As `lease.recalled`. */
  recalled: Int;
  expires_at: Int;
}

/**
 * Money that was moved between accounts other than by a request. Rows are never changed or deleted; the id is chosen by
 * who makes the transfer, so that a repetition does nothing.
 */
export interface TransferTable {
  id: string;
  environment: EnvironmentColumn;
  debit_account_id: string;
  credit_account_id: string;
  amount: Int;
  kind: string;
  note: Defaulted<string>;
  created_at: Int;
}

/** Money that one gateway process may spend until `expires_at`. It is part of the account's `reserved`. */
interface LeaseTable {
  id: string;
  account_id: string;
  environment: EnvironmentColumn;
  node_id: string;
  granted: Int;
  spent: Int;
  expires_at: Int;
  /** Number of the last recall of its balance that its process has answered. */
  recalled: Int;
}

/**
 * A request that was not collected in full while a lease of its account was out: what the lease gives back pays for it.
 * Rows go with their lease.
 */
interface ClaimTable {
  lease_id: string;
  request_id: string;
  /** What the lease had been granted by then, less what it has given back since: later grants do not pay. */
  granted: Int;
}

/** A request that has begun and is not settled, with what has to be known of it should its process die. */
export interface InflightTable {
  request_id: string;
  node_id: string;
  lease_id: string | null;
  account_id: string;
  environment: EnvironmentColumn;
  key_id: string;
  operation: string;
  model: string;
  price_prompt: Int;
  price_completion: Int;
  /** As `price.components`. */
  price_components: Defaulted<string | null>;
  hold: Int;
  prompt_tokens: Int;
  completion_tokens: Int;
  /**
   * JSON of the prompt's counts at each upstream call; null where the price has two numbers, and before they are known.
   */
  prompts: Defaulted<string | null>;
  started_at: Int;
}

/** One row for each request: the transfer of `amount` from the account to revenue. */
export interface UsageTable {
  request_id: string;
  account_id: string;
  environment: EnvironmentColumn;
  key_id: string;
  operation: string;
  model: string;
  provider: string | null;
  /**
   * The row of `price` that the prices below come from; null where they are not those of one offer, and for names that
   * a provider passes on unlisted.
   */
  price_id: Defaulted<string | null>;
  price_prompt: Int;
  price_completion: Int;
  /** As `price.components`. */
  price_components: Defaulted<string | null>;
  prompt_tokens: Int;
  completion_tokens: Int;
  /** JSON of the counts that were charged otherwise than at the two prices; null where there are none. */
  parts: Defaulted<string | null>;
  hold: Int;
  amount: Int;
  /**
   * What of `amount` was collected beyond the hold; null in rows of earlier versions, which charged no more than the
   * hold.
   */
  collected: OptionalInt;
  /** What was owed and could not be collected: a recorded loss of the house. */
  uncollected: Int;
  outcome: string;
  /** 1 where the tokens were counted by the gateway. */
  estimated: Int;
  created_at: Int;
  /**
   * The time at which the request came. From here on as in `request_record`; null where the record is there, and where
   * no gateway has written one.
   */
  began_at: OptionalInt;
  duration_ms: OptionalInt;
  client_request_id: Defaulted<string | null>;
  streamed: OptionalInt;
  status: OptionalInt;
  error_code: Defaulted<string | null>;
  error_message: Defaulted<string | null>;
  /** Null where the row has no record (any more). If `request_record` has none either, the row is all that is known. */
  attempts: Defaulted<string | null>;
  dropped_parameters: Defaulted<string | null>;
}

/** What an offer costs from a time on, until its next row. Rows are only added. */
interface PriceTable {
  id: string;
  model: string;
  provider: string;
  prompt: Int;
  completion: Int;
  /** JSON of what it tells beside the two, as PriceComponents.text; null where there is nothing. */
  components: Defaulted<string | null>;
  valid_from: Int;
}

export interface ApiKeyTable {
  id: string;
  account_id: string;
  environment: EnvironmentColumn;
  /** HMAC-SHA-256 of the key with the pepper, in hex. */
  digest: string;
  pepper_version: Int;
  label: string;
  /** What may be shown of the key: prefix, environment, first four and last four characters. */
  display: string;
  created_at: Int;
  expires_at: OptionalInt;
  revoked_at: OptionalInt;
  project_id: Defaulted<string | null>;
  /** As `account.rules`. */
  rules: Defaulted<string | null>;
  /** JSON: an object of texts that the owner wants to see beside the usage; null where there is none. */
  metadata: Defaulted<string | null>;
  /** Of `rules` and `metadata`. */
  rules_bytes: DefaultedInt;
  /**
   * The key whose successor this one is, or the first of the line: all of a line share limits and budgets. Null:
   * itself.
   */
  first_id: Defaulted<string | null>;
  /** The value of the counter `api_key` at the last change: readers ask for rows that are newer than theirs. */
  version: Int;
}

/** When a key was last used, to the minute. A table of its own: keys are read anew whenever their rows change. */
interface KeyUseTable {
  key_id: string;
  used_at: Int;
}

interface CounterTable {
  name: string;
  value: Int;
}

interface SettingTable {
  name: string;
  value: string;
}

/**
 * What happened to a request whose usage row does not say it: most of them were refused. Rows are kept for a while; no
 * money depends on them.
 */
export interface RequestRecordTable {
  request_id: string;
  created_at: Int;
  duration_ms: Int;
  client_request_id: string | null;
  key_id: string | null;
  account_id: string | null;
  environment: EnvironmentColumn | null;
  operation: string;
  model: string | null;
  streamed: Int;
  status: Int;
  outcome: string;
  error_code: string | null;
  /** Of the error that the client has got; shortened where it is long. */
  error_message: Defaulted<string | null>;
  /** JSON: an entry for each attempt, with offer, kind and timings. */
  attempts: string;
  prompt_tokens: OptionalInt;
  completion_tokens: OptionalInt;
  price_prompt: OptionalInt;
  price_completion: OptionalInt;
  /** JSON: their names. */
  dropped_parameters: string;
}

/** A model, or one of its offers, which the operator has switched off. */
interface ModelSwitchTable {
  model: string;
  /** Empty: the model at every provider. */
  provider: string;
  message: string;
  created_at: Int;
}

/** What was asked and answered, only where the operator wants it to be kept. */
export interface RequestTextTable {
  request_id: string;
  created_at: Int;
  /** JSON of the body, cut at 64 Ki characters. */
  request: string;
  /** JSON of the choices, cut at 64 Ki characters; null where there were none. */
  answer: string | null;
}

/** Opens the administration API, and nothing else. */
export interface AdminTokenTable {
  id: string;
  /** HMAC-SHA-256 of the token with the pepper, in hex. */
  digest: string;
  pepper_version: Int;
  role: 'operator' | 'owner' | 'admin' | 'developer' | 'viewer';
  /** Null for operators, and for nobody else. */
  account_id: string | null;
  label: string;
  /** As `api_key.display`. */
  display: string;
  created_at: Int;
  expires_at: OptionalInt;
  revoked_at: OptionalInt;
  /** The value of the counter `admin_token` at the last change. */
  version: Int;
}

/** Who has changed what by the administration API or the command line. Rows are only added. */
export interface AuditTable {
  /** A UUIDv7, so that the order of ids is that of time. */
  id: string;
  created_at: Int;
  actor_kind: 'token' | 'cli' | 'user' | 'nobody';
  /** The id of the token or the person, or the name of the user of the operating system; empty for nobody. */
  actor: string;
  /** The role of the token or the person. */
  role: string | null;
  /** Method and route, or the command. */
  action: string;
  /** The account that it was done to; null where that is none. */
  account_id: string | null;
  /** The id of what was made or changed. */
  subject: string;
  /** JSON: the names of the fields that were given or have changed. */
  fields: string;
  request_id: string | null;
  /** The address of the client. */
  address: string | null;
  /** What the subject might do, where that has changed; null where it has not. */
  rights_before: Rights | null;
  rights_after: Rights | null;
}

/**
 * What a person or a token may do in an account, or, where the line names none, in the gateway. `disabled`: they cannot
 * sign in, whatever their roles are.
 */
export type Rights = 'operator' | 'owner' | 'admin' | 'developer' | 'viewer' | 'none' | 'enabled' | 'disabled';

/** What was made under an id that its client chose. */
interface CreationTable {
  /** `kind/id` */
  id: string;
  /** SHA-256 of what was asked for, in hex. */
  digest: string;
  created_at: Int;
}
