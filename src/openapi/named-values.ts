import { breakerStates } from '../inference/routing/circuit-breaker.js';
import { strategies } from '../inference/routing/strategy.js';
import { memberRoles, roles } from '../auth/administration/administrator.js';
import { environments } from '../auth/principal.js';
import { operations } from '../auth/rules/rules.dto.js';
import { seriesGroups, seriesIntervals } from '../billing/usage-series.js';
import { eventTypes } from '../database/outbox.js';
import { providerErrorKinds } from '../providers/provider-error.js';
import { errorCodes } from '../wire/error.js';
import { componentNames } from '../wire/price-component.js';
import { weekdays } from '../wire/weekday.js';
import { ownOf } from '../wire/own-members.js';

/** The constants that types of the wire are made from by `typeof`: the values of a list, the keys of an object. */
const values: Readonly<Record<string, readonly string[]>> = {
  breakerStates,
  componentBases: componentNames,
  environments,
  errorCodes: Object.keys(errorCodes),
  eventTypes,
  memberRoles,
  operations,
  providerErrorKinds,
  roles,
  seriesGroups,
  seriesIntervals,
  strategies,
  weekdays,
};

/** @throws Error where a type of the wire names a constant that is not listed here */
export function namedValues(name: string): readonly string[] {
  const found = ownOf(values, name);
  if (!found) throw new Error(`a type of the wire uses typeof ${name}: list it in src/openapi/named-values.ts`);
  return found;
}
