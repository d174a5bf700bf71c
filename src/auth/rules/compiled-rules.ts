import { combineRules, type PrincipalRules, type RulesOf, type SubjectKind } from './principal-rules.js';
import type { RulesDto } from './rules.dto.js';

/** Rules as the store has them. */
export interface RulesText {
  readonly kind: SubjectKind;
  readonly id: string;
  /** JSON of a RulesDto. */
  readonly text: string;
}

/** Bytes that compiled rules take in memory, at most: of their own, for each name or pattern and for each character. */
const WEIGHT = { own: 1_024, name: 64, character: 4 };

/** Bytes that compiled rules may take together. */
const MOST = 64 * 1024 * 1024;

/**
 * The rules of keys are kept as texts, and compiled when a request needs them. What was compiled is remembered, as far
 * as there is room; beyond it the oldest is compiled anew when it is needed again.
 */
export class CompiledRules {
  readonly #remembered = new Map<LazyRules, number>();
  #weight = 0;

  /** @param most bytes, about */
  constructor(private readonly most = MOST) {}

  /** About the bytes that are remembered. */
  get weight(): number {
    return this.#weight;
  }

  /** @param texts the nearest to the key first */
  of(environment: string, texts: readonly RulesText[]): LazyRules {
    return new LazyRules(environment, texts, (rules, weight) => this.#remember(rules, weight));
  }

  #remember(rules: LazyRules, weight: number): void {
    this.#remembered.set(rules, weight);
    this.#weight += weight;
    for (const [oldest, its] of this.#remembered) {
      if (this.#weight <= this.most) return;
      this.#remembered.delete(oldest);
      this.#weight -= its;
      oldest.forget();
    }
  }
}

/** The rules of a key, with those of its project and account. */
export class LazyRules {
  #compiled: PrincipalRules | undefined;

  constructor(
    private readonly environment: string,
    private readonly texts: readonly RulesText[],
    private readonly remember: (rules: LazyRules, weight: number) => void,
  ) {}

  /** Undefined where nothing restricts the key. */
  get value(): PrincipalRules | undefined {
    if (this.texts.length === 0) return undefined;
    return (this.#compiled ??= this.#compile());
  }

  forget(): void {
    this.#compiled = undefined;
  }

  #compile(): PrincipalRules | undefined {
    const sources = this.texts.map(({ kind, id, text }): RulesOf => ({ kind, id, rules: JSON.parse(text) as RulesDto }));
    const compiled = combineRules(this.environment, sources);
    const characters = this.texts.reduce((sum, { text }) => sum + text.length, 0);
    if (compiled) this.remember(this, WEIGHT.own + WEIGHT.name * (compiled.access?.size ?? 0) + WEIGHT.character * characters);
    return compiled;
  }
}
