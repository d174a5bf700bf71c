import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/**
 * Encrypts with AES-256-GCM under a random nonce. The result is nonce, tag and cipher text.
 * @param secret 32 bytes
 * @param context what the text belongs to: it can be decrypted with the same context only
 */
export function seal(text: string, secret: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: TAG }).setAAD(Buffer.from(context));
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
}

/** @throws Error where the text was sealed with another secret or context, or has been changed since */
export function unseal(sealed: Uint8Array, secret: Uint8Array, context: string): string {
  return unsealBytes(sealed, secret, context).toString('utf8');
}

/**
 * @returns the text in UTF-8
 * @throws Error as `unseal` does
 */
export function unsealBytes(sealed: Uint8Array, secret: Uint8Array, context: string): Buffer {
  const decipher = createDecipheriv(CIPHER, secret, sealed.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]);
}
