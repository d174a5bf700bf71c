/**
 * The fields that are to be different from what there is.
 * @param now what there is: a field that is absent is null
 * @param wanted undefined leaves a field as it is
 */
export function changedFields<W extends object>(now: object, wanted: W): Partial<W> {
  const has = now as Readonly<Record<string, unknown>>;
  const differs = ([name, value]: [string, unknown]) => value !== undefined && canonical(value) !== canonical(has[name] ?? null);
  return Object.fromEntries(Object.entries(wanted).filter(differs)) as Partial<W>;
}

/** The names of fields as they are on the wire, and in the audit log. */
export function wireNames(fields: object): string[] {
  return Object.keys(fields).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/**
 * JSON with the names in the order of the alphabet and without those of nulls, so that two clients that mean the same
 * write the same.
 */
export function canonical(content: unknown): string {
  return JSON.stringify(content, (_name, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).filter(([, member]) => member !== null);
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
