import type { Hold } from '../../billing/hold/ledger.js';
import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import type { Config } from '../../config/config.schema.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import type { Admission } from '../../limits/admission.js';
import type { ProvidersInUse } from '../../providers/registry/providers-in-use.js';
import type { InferenceRequest } from '../../wire/generation.js';
import type { Route } from './router.service.js';

/** What the gateway does for one client request. */
export interface GenerationPlan {
  readonly model: CatalogueModel;
  /** The routes in the order in which they are asked. */
  readonly routes: readonly [Route, ...Route[]];
  /** The configuration that was in force when the request came. */
  readonly config: Config;
  /** Keeps the providers of the routes open until the request ends. */
  readonly providers: ProvidersInUse;
  readonly stream: boolean;
  readonly operation: InferenceRequest['operation'];
  /** The client's max_tokens, and 0 for calls over inputs; undefined where it set none. */
  readonly requestedTokens: number | undefined;
}

/** A request for which the ledger holds the worst case. */
export interface AdmittedRequest {
  readonly plan: GenerationPlan;
  readonly hold: Hold;
  readonly context: RequestContext;
  /** Absent where the key has no limits. */
  readonly admission: Admission | undefined;
  /** The id of the key that asks. */
  readonly key: string;
  /** The id of the account that asks. */
  readonly account: string;
}
