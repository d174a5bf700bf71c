import { createSecretKey, randomBytes } from 'node:crypto';
import type { PlanTerms } from '../plan-calls.js';
import { KeyedNames } from '../../fitting/keyed-names.js';

/** As one store's gateways make them. */
export const keyedNames = new KeyedNames(createSecretKey(randomBytes(32)));

/** Nothing is refused or dropped for a reason that is not the offer's. */
export const planTerms: PlanTerms = {
  strict: false,
  dropped: () => undefined,
  ignores: () => false,
  unpaid: false,
  lowers: false,
  names: keyedNames,
};
