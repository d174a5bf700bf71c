import { randomBase62, toBase62 } from './base62.js';
import type { Environment } from './principal.js';

const RANDOM_LENGTH = 26;
const CHECKSUM_LENGTH = 6;
const SECRET_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;

const format = new RegExp(`^([a-z][a-z0-9]*)-(live|test)-([0-9A-Za-z]{${SECRET_LENGTH}})$`);

export interface ApiKeyParts {
  readonly prefix: string;
  readonly environment: Environment;
  /** The 32 characters: 26 random ones (155 bits), then the checksum. */
  readonly secret: string;
}

/** `<prefix>-<live|test>-<32>` (specification, Authentication). */
export function generateApiKey(prefix: string, environment: Environment): string {
  const body = `${prefix}-${environment}-${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

export function parseApiKey(key: string): ApiKeyParts | undefined {
  const match = format.exec(key);
  return match ? { prefix: match[1]!, environment: match[2] as Environment, secret: match[3]! } : undefined;
}

/** For secret scanners and hints about mistyped keys; a key made elsewhere may be valid without it. */
export function hasValidChecksum(key: string): boolean {
  return parseApiKey(key) !== undefined && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

/** What may be shown of a key once it has been handed out. */
export function displayApiKey({ prefix, environment, secret }: ApiKeyParts): string {
  return `${prefix}-${environment}-${secret.slice(0, 4)}...${secret.slice(-4)}`;
}

/** A 32-bit sum always fits: 62^6 is 13 times as much. Its module takes a start 3 MB, and most processes make no key. */
function checksum(body: string): string {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
