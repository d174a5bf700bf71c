const removed = '[redacted]';

/** Shorter secrets are placeholders, and would be found inside ordinary words. */
const MIN_SECRET = 4;

/** A key whose middle is left out, as vendors quote it: `sk-ab***yz`, `sk-ab...yz`, `sk-abXXXXyz`. */
const masked = /(?<![\w-])([\w-]{0,400})(?:\*{2,}|•{2,}|\.{3,}|…|[xX]{4,})([\w-]{0,400})/g;

/** Removes our credentials from a vendor's text, whether they are whole or masked. */
export function redact(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) if (secret.length >= MIN_SECRET) result = result.replaceAll(secret, removed);
  return result.replace(masked, (match: string, head: string, tail: string) => {
    const ours = secrets.some((secret) => isPart(head, secret.startsWith(head)) || isPart(tail, secret.endsWith(tail)));
    return ours || /[*•]/.test(match) ? removed : match;
  });
}

/** A part of one character says nothing about a key. */
function isPart(text: string, matches: boolean): boolean {
  return text.length > 1 && matches;
}
