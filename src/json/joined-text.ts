import { setMember } from '../wire/own-members.js';

/** A member of an object, which is a text, null or absent. */
export type Member = readonly [holder: object, name: string];

/** Makes a member of several texts. */
export function putJoined(to: object, as: string, members: readonly Member[], between = ''): void {
  const texts = members.map(([holder, name]) => (holder as Record<string, string | null | undefined>)[name] ?? '');
  setMember(to, as, texts.join(between));
}
