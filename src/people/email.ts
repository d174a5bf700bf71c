import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1: characters of a path. */
const MAX_EMAIL = 254;

const format = /^([^\s@"(),:;<>[\]\\\p{C}]{1,64})@([^\s@/:]{1,253})$/u;

/**
 * The form in which e-mail addresses are stored and compared: in lower case, and the domain as DNS has it.
 * @throws RangeError where it is none
 */
export function normalEmail(text: string): string {
  const [, local = '', domain = ''] = format.exec(text.trim().normalize('NFC').toLowerCase()) ?? [];
  const host = domainToASCII(domain);
  const email = `${local}@${host}`;
  if (local === '' || host === '' || email.length > MAX_EMAIL) throw new RangeError('email must be an e-mail address');
  return email;
}

/** @returns undefined where it is none */
export function normalEmailIfAny(text: string): string | undefined {
  try {
    return normalEmail(text);
  } catch {
    return undefined;
  }
}
