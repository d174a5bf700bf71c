import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import type { Config } from '../../config/config.schema.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { Route } from '../routing/router.service.js';

/** How one client request is to be answered. */
export interface GenerationPlan {
  readonly model: CatalogueModel;
  /** In the order in which they are asked. */
  readonly routes: readonly [Route, ...Route[]];
  /** In force when the request came. */
  readonly config: Config;
  readonly stream: boolean;
  readonly operation: GenerationRequest['operation'];
  /** Output tokens that the client named. */
  readonly asked: number | undefined;
}
