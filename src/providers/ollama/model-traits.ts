import type { ThinkValue } from './wire.js';

/** What a request has to know of a model. */
export interface ModelTraits {
  /** The values of `think` that it takes; none where it does not think. */
  readonly thinking: readonly ThinkValue[];
}

/** The values that all servers take for all models that think. */
export const usualThinking: readonly ThinkValue[] = [false, true, 'low', 'medium', 'high'];
