/**
 * Specs that need a program other than Node. `npm test` leaves them out, so that it is the same on every machine, and
 * `npm run test:all` runs them (`jest.config.mjs` finds them by the name in brackets). Where the program is not installed
 * they are skipped, or fail with SWITCHYARD_NO_SKIP=1.
 */
export function describeService(service: 'PostgreSQL' | 'Chromium', installed: boolean, name: string, specs: () => void): void {
  const title = `${name} [${service}]`;
  if (installed || process.env['SWITCHYARD_NO_SKIP'] === '1') describe(title, specs);
  // The summary of a run names what stands in parentheses.
  else describe.skip(`${title} (no ${service} is installed)`, specs);
}
