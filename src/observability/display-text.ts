const commands = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A text for terminals, logs and mails: controls of cursor, line and direction are escaped as in JSON. */
export function escapeControls(text: string): string {
  return text.replace(commands, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same of a name inside a sentence: one that is written from right to left does not turn what stands around it. */
export function displayName(name: string): string {
  const text = escapeControls(name);
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}
