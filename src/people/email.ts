import { domainToASCII, domainToUnicode } from 'node:url';

/** RFC 5321, section 4.5.3.1: characters of a path. */
const MAX_EMAIL = 254;

const format = /^([^\s@"(),:;<>[\]\\\p{C}]{1,64})@([^\s@/:]{1,253})$/u;

/** What somebody has typed, without the spaces (U+0020) around it. */
export function typedEmail(text: string): string {
  return text.replace(/^ +/, '').replace(/ +$/, '');
}

/**
 * The stored form of an address that somebody has typed.
 * @throws RangeError where it is none
 */
export function normalEmail(typed: string): string {
  const email = normalEmailIfAny(typedEmail(typed));
  if (email === undefined) throw new RangeError('email must be an e-mail address, without characters that stand for others');
  return email;
}

/**
 * The form in which e-mail addresses are stored and compared: letters of ASCII in lower case, the domain as DNS has it,
 * and nothing else folded. What has characters that Unicode takes for others is refused, because a provider of
 * identities may know two people where folding sees one.
 * @returns undefined where it is none
 */
export function normalEmailIfAny(text: string): string | undefined {
  return text.normalize('NFKC') === text ? emailToFind(text) : undefined;
}

/**
 * The stored form of an address that somebody may have, also where it was stored before such ones were refused.
 * @returns undefined where it is none
 */
export function emailToFind(text: string): string | undefined {
  const [, local = '', domain = ''] = format.exec(text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())) ?? [];
  const host = domainToASCII(domain);
  const email = `${local}@${host}`;
  if (local === '' || host === '' || email.length > MAX_EMAIL) return undefined;
  return host === domain || domainToUnicode(host) === domain ? email : undefined;
}

/** Whether an address that is stored would be refused today. */
export function isOldEmail(stored: string): boolean {
  return normalEmailIfAny(stored) !== stored;
}
