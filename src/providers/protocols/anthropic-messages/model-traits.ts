import type { Effort } from './wire.js';

/** Facts about a model in which the generations of Claude differ. Its provider knows them. */
export interface ModelTraits {
  /** Output tokens at most. Sent where the client names no limit, because the API requires one. */
  readonly maxTokens: number;
  /** Of a model whose limit nobody knows: what every model takes where the client names none. */
  readonly defaultTokens?: number;
  /**
   * `adaptive`: the model decides, and `output_config.effort` says how deeply. `budget`: a number of tokens. `both`:
   * either, as the request says. `none`: the model does not think.
   */
  readonly thinking: 'adaptive' | 'budget' | 'both' | 'none';
  /** What switches thinking off: `absent` where it is off unless asked for, `never` where it cannot be switched off. */
  readonly thinkingOff: 'absent' | 'disabled' | 'between_tools' | 'never';
  /** The words that `output_config.effort` accepts, shallow to deep. */
  readonly efforts: readonly Effort[];
  /** Whether `tool_choice` may name a tool or require one. */
  readonly forcedTools: boolean;
  /** Whether the model supports `output_config.format` and `strict` tools. */
  readonly structuredOutputs: boolean;
  /**
   * Whether a system prompt may come between turns. Elsewhere it moves to the top, which changes what cached and signed
   * blocks were made from.
   */
  readonly systemTurns: boolean;
  /** Whether `top_p` is refused beside `temperature`. */
  readonly oneSampler?: boolean;
  /** No list knows the model: thinking and a last turn of the assistant go on as they are asked for. */
  readonly unlisted?: boolean;
}
