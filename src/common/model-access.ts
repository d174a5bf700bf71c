import { remembered } from './remembered.js';

/** Names and patterns, in which `*` stands for any characters. Absent: all are allowed, none is denied. */
export interface AllowDeny {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Which models and providers somebody may use. */
export interface ModelRules {
  readonly models?: AllowDeny | undefined;
  readonly providers?: AllowDeny | undefined;
}

/** What several rules together allow: what each of them allows. */
export class ModelAccess {
  readonly #models: NameRule;
  readonly #providers: NameRule;

  constructor(rules: readonly ModelRules[]) {
    this.#models = new NameRule(rules.flatMap(({ models }) => models ?? []));
    this.#providers = new NameRule(rules.flatMap(({ providers }) => providers ?? []));
  }

  /** @param id a model's id of the catalogue, without the name of a provider before it */
  allowsModel(id: string): boolean {
    return this.#models.allows(id);
  }

  /** Whether a model's id, or the name of an alias, is denied. */
  deniesModel(id: string): boolean {
    return this.#models.denies(id);
  }

  /**
   * Whether a name may be used that no provider lists. The same model may have many such names, of which a denied one
   * is but one: only what is allowed by name or pattern may be used by those to whom a model is denied.
   * @param name without the name of the provider before it
   */
  allowsUnlisted(name: string): boolean {
    return this.#models.names && this.#models.allows(name);
  }

  allowsProvider(id: string): boolean {
    return this.#providers.allows(id);
  }
}

type Test = (name: string) => boolean;

class NameRule {
  /** Whether all that deny something also say what is allowed. */
  readonly names: boolean;
  readonly allows: Test;
  readonly denies: Test;

  constructor(rules: readonly AllowDeny[]) {
    const tests = rules.map(({ allow, deny }) => ({ allow: allow && anyOf(allow), deny: deny && anyOf(deny) }));
    this.names = tests.every(({ allow, deny }) => allow ?? !deny);
    this.allows = remembered((name) => tests.every(({ allow, deny }) => (allow?.(name) ?? true) && !deny?.(name)));
    this.denies = remembered((name) => tests.some(({ deny }) => deny?.(name)));
  }
}

/**
 * Finds the parts between the `*` one after the other, each as early as it can be: no other choice leaves more room for
 * the next. The work is bounded by name times pattern; a regular expression would try the choices again (a name of 250
 * characters took it 240 ms for one pattern of four `*`).
 */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  if (others.length === 0) return name === first;
  const last = others.pop()!;
  let from = first.length;
  const end = name.length - last.length;
  if (end < from || !name.startsWith(first) || !name.endsWith(last)) return false;
  for (const part of others) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from <= end;
}

/** @returns whether a name is one of the patterns */
function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const split = patterns.map((pattern) => pattern.split('*'));
  return (name) => split.some((parts) => matches(name, parts));
}
