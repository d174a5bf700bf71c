import { AccountsService } from './accounts/accounts.service.js';
import { CreditsService } from './credits/credits.service.js';
import { KeysService } from './keys/keys.service.js';
import { InvitingService } from './members/inviting.service.js';
import { ModelSwitching } from './models/model-switching.js';
import { PricesService } from './prices/prices.service.js';
import { ProjectsService } from './projects/projects.service.js';
import { ProviderSwitches } from './providers/provider-switches.js';
import { RequestsService } from './requests/requests.service.js';
import { TokensService } from './tokens/tokens.service.js';
import { UsageService } from './usage/usage.service.js';
import { UsersService } from './users/users.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** What the command line works with as well: it needs the store, and nothing else of a gateway. */
export const services = {
  accounts: AccountsService,
  projects: ProjectsService,
  keys: KeysService,
  tokens: TokensService,
  webhooks: WebhooksService,
  users: UsersService,
  inviting: InvitingService,
  credits: CreditsService,
  usage: UsageService,
  requests: RequestsService,
  prices: PricesService,
  switches: ModelSwitching,
  providers: ProviderSwitches,
} as const;
