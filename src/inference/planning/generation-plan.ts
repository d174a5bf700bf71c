import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import type { Config } from '../../config/config.schema.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { Route } from '../routing/router.service.js';

/** What the gateway does for one client request. */
export interface GenerationPlan {
  readonly model: CatalogueModel;
  /** The routes in the order in which they are asked. */
  readonly routes: readonly [Route, ...Route[]];
  /** The configuration that was in force when the request came. */
  readonly config: Config;
  readonly stream: boolean;
  readonly operation: GenerationRequest['operation'];
  /** The client's max_tokens; undefined where it set none. */
  readonly requestedTokens: number | undefined;
}
