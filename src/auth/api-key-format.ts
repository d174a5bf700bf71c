import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './base62.js';
import type { Environment } from './principal.js';

const RANDOM_LENGTH = 26;
const CHECKSUM_LENGTH = 6;
const SECRET_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;

const format = new RegExp(`^([a-z][a-z0-9]*)-(live|test)-([0-9A-Za-z]{${SECRET_LENGTH}})$`);

interface ApiKeyParts {
  readonly prefix: string;
  readonly environment: Environment;
  /** The 32 characters after the environment: 26 random ones (155 bits) and the checksum. */
  readonly secret: string;
}

/** Makes a new key: `<prefix>-<live|test>-<32 characters>` (specification, Authentication). */
export function generateApiKey(prefix: string, environment: Environment): string {
  return generateSecret(prefix, environment);
}

/** Makes a secret in the form of a key, with a word in its middle that says what it opens. */
export function generateSecret(prefix: string, word: Environment | 'admin' | 'session' | 'link' | 'invitation'): string {
  const body = `${prefix}-${word}-${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** The part of a secret of this form that may be shown after it has been handed out. */
export function displaySecret(secret: string): string {
  return `${secret.slice(0, 4 - SECRET_LENGTH)}...${secret.slice(-4)}`;
}

export function parseApiKey(key: string): ApiKeyParts | undefined {
  const match = format.exec(key);
  return match ? { prefix: match[1]!, environment: match[2] as Environment, secret: match[3]! } : undefined;
}

/** The part of a key that may be shown after the key has been handed out. */
export function displayApiKey({ prefix, environment, secret }: ApiKeyParts): string {
  return displaySecret(`${prefix}-${environment}-${secret}`);
}

/**
 * CRC-32 of what precedes it, in base 62, by which secret scanners tell a key from other texts. Keys are never refused
 * for it. A 32-bit sum always fits, because 62^6 is 13 times as much.
 */
function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
