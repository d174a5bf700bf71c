import type { Effort } from './wire.js';

/** What the generations of Claude take differently; facts about a model, told by its provider. */
export interface ModelTraits {
  /** Tokens of output at most; sent where the client names none, because the API wants a number. */
  readonly maxTokens: number;
  /**
   * `adaptive`: the model decides, `output_config.effort` says how deeply. `budget`: a number of tokens. `none`: the model does not think.
   */
  readonly thinking: 'adaptive' | 'budget' | 'none';
  /** What switches thinking off: `absent` where it is off until asked for, `never` where it cannot be. */
  readonly thinkingOff: 'absent' | 'disabled' | 'between_tools' | 'never';
  /** Words that `output_config.effort` takes, shallow to deep. */
  readonly efforts: readonly Effort[];
  /** `tool_choice` may name a tool or demand one. */
  readonly forcedTools: boolean;
  /** `output_config.format` and `strict` tools. */
  readonly structuredOutputs: boolean;
  /** A system prompt may stand between turns; elsewhere it moves to the top, which changes what cached and signed blocks were made from. */
  readonly systemTurns: boolean;
}
