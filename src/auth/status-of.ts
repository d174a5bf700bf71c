export type KeyStatus = 'active' | 'revoked' | 'expired';

/** What has become of a key or a token. Times are milliseconds since 1970. */
export function statusOf({
  revokedAt,
  expiresAt,
}: {
  readonly revokedAt?: number | undefined;
  readonly expiresAt?: number | undefined;
}): KeyStatus {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= Date.now() ? 'expired' : 'active';
}
