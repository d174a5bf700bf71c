/** Words of vendors for the tier that a price is for where it names none. */
const standard: ReadonlySet<string> = new Set(['default', 'standard', 'standard_only', 'on_demand']);

/** Leaves the tier to the vendor. */
export const ANY_TIER = 'auto';

/** How vendors name service tiers. */
export const serviceTierName = /^(?!auto$)[a-z][a-z0-9_-]{0,31}$/;

export function isStandardTier(name: string): boolean {
  return standard.has(name);
}
