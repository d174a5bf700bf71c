import { NameList } from './name-list.js';

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
  /** Names and patterns of all lists, with which a model is compared at most. */
  readonly size: number;

  /** @param live whether it is the access of live keys, which do not reach what is there for test keys alone */
  constructor(
    rules: readonly ModelRules[],
    readonly live = false,
  ) {
    this.#models = new NameRule(rules.flatMap(({ models }) => models ?? []));
    this.#providers = new NameRule(rules.flatMap(({ providers }) => providers ?? []));
    this.size = this.#models.size + this.#providers.size;
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

interface Lists {
  readonly allow: NameList | undefined;
  readonly deny: NameList | undefined;
}

class NameRule {
  readonly #lists: readonly Lists[];
  /** Whether all that deny something also say what is allowed. */
  readonly names: boolean;
  readonly size: number;

  constructor(rules: readonly AllowDeny[]) {
    this.#lists = rules.map(({ allow, deny }) => ({ allow: allow && new NameList(allow), deny: deny && new NameList(deny) }));
    this.size = rules.reduce((sum, { allow, deny }) => sum + (allow?.length ?? 0) + (deny?.length ?? 0), 0);
    this.names = this.#lists.every(({ allow, deny }) => allow ?? !deny);
  }

  allows(name: string): boolean {
    return this.#lists.every(({ allow, deny }) => (allow?.has(name) ?? true) && !deny?.has(name));
  }

  denies(name: string): boolean {
    return this.#lists.some(({ deny }) => deny?.has(name));
  }
}
