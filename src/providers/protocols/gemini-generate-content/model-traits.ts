/** The words of `thinkingConfig.thinkingLevel`, shallow to deep. */
export const thinkingLevels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH'] as const;

export type ThinkingLevel = (typeof thinkingLevels)[number];

/** Facts about a model in which the generations of Gemini differ. Its provider knows them. */
export interface ModelTraits {
  /**
   * The levels that the model accepts, or the smallest budget in tokens; undefined where thinking cannot be asked for.
   */
  readonly thinking: { readonly levels: readonly ThinkingLevel[] } | { readonly leastBudget: number } | undefined;
  /** Whether the model refuses a function call of an earlier turn without a thought signature. */
  readonly signedCalls: boolean;
}
