import type { Config } from './config.schema.js';

/** The id of the model for which a name stands: the name itself where it is no alias. */
export function modelOfAlias({ aliases }: Pick<Config['routing'], 'aliases'>, name: string): string {
  let meant = name;
  // An alias may stand for one above it.
  for (const [alias, target] of Object.entries(aliases).toReversed()) if (alias === meant) meant = target;
  return meant;
}
