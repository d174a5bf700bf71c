/** Words of `thinkingConfig.thinkingLevel`, shallow to deep. */
export const thinkingLevels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH'] as const;

export type ThinkingLevel = (typeof thinkingLevels)[number];

/** What the generations of Gemini take differently; facts about a model, told by its provider. */
export interface ModelTraits {
  /** The levels that the model takes, or the fewest tokens that it can be given, or nothing where thinking cannot be asked for. */
  readonly thinking: { readonly levels: readonly ThinkingLevel[] } | { readonly leastBudget: number } | undefined;
  /** A function call of an earlier turn without a thought signature is refused. */
  readonly signedCalls: boolean;
}
