import { GLOBAL_ADDRESS } from './vertex.type.js';

/** Locations of several regions, whose hosts are called otherwise than those of one. */
const multiRegions: ReadonlySet<string> = new Set(['us', 'eu']);

/**
 * The address of an entry with the version of the API, where the address names none.
 * @param baseUrl the entry's address; where it is the type's own, the location's is meant
 */
export function locationAddress(baseUrl: string, location: string, version: string): string {
  const url = new URL(baseUrl);
  if (url.origin === GLOBAL_ADDRESS) url.host = hostOf(location);
  if (url.pathname === '/') url.pathname = `/${version}`;
  return url.href;
}

function hostOf(location: string): string {
  if (location === 'global') return new URL(GLOBAL_ADDRESS).host;
  return multiRegions.has(location) ? `aiplatform.${location}.rep.googleapis.com` : `${location}-aiplatform.googleapis.com`;
}
