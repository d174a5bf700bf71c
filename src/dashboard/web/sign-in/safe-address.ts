/** @returns an address of this dashboard, whatever the query string says */
export const safeAddress = (next: string | null): string =>
  next !== null && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
