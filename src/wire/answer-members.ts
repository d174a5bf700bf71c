/** Members of an answer beside its choices that clients read. They are told as the vendor of the model has them. */
export interface AnswerMembers {
  /** The vendor's settings that the model ran with. */
  system_fingerprint?: unknown;
  /** The tier of service in which the vendor has answered. */
  service_tier?: unknown;
  /** Sources of the answer, of vendors that search (Perplexity's, which others have taken over). */
  citations?: unknown;
  /** What the vendor has found for the answer. */
  search_results?: unknown;
}

export const answerMembers = [
  'system_fingerprint',
  'service_tier',
  'citations',
  'search_results',
] as const satisfies readonly (keyof AnswerMembers)[];
