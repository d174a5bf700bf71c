/** A value of the configuration. */
export interface Setting {
  /** Dotted. */
  readonly name: string;
  /** As text. */
  readonly value: string;
  /** `file:line:column` or a variable; undefined: it is the default, or not known. */
  readonly source: string | undefined;
}

/** All values of a configuration, in its order. */
export function settingsOf(configuration: unknown, sources: Readonly<Record<string, string>> | null, name = ''): Setting[] {
  if (typeof configuration === 'object' && configuration !== null && !Array.isArray(configuration)) {
    const entries = Object.entries(configuration);
    if (entries.length > 0 || name === '')
      return entries.flatMap(([key, below]) => settingsOf(below, sources, name === '' ? key : `${name}.${key}`));
  }
  const value = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
  return [{ name, value, source: sourceOf(name, sources) }];
}

/** A value that is part of one that was given comes from where that came from. */
function sourceOf(name: string, sources: Readonly<Record<string, string>> | null): string | undefined {
  if (sources === null) return undefined;
  for (let at = name; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))) if (Object.hasOwn(sources, at)) return sources[at];
  return undefined;
}
