import type { JsonObject } from '../../wire/json-object.js';

/** Sampling, and how the model is loaded. What is absent is as the model's own file says. */
export interface ModelOptions {
  num_predict?: number;
  num_ctx?: number;
  stop?: string[];
  seed?: number;
  temperature?: number;
  top_p?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  /** The vendor's own, as the client sent them. */
  [name: string]: unknown;
}

interface CommonBody {
  model: string;
  stream: boolean;
  options: ModelOptions;
  keep_alive?: string | number;
  think?: boolean | string;
  logprobs?: boolean;
  top_logprobs?: number;
  /** Absent: true. */
  truncate?: boolean;
}

/** The body of `POST api/chat`. */
export interface ChatBody extends CommonBody {
  messages: OllamaMessage[];
  tools?: OllamaTool[];
  format?: 'json' | JsonObject;
}

/** The body of `POST api/generate`. */
export interface GenerateBody extends CommonBody {
  prompt: string;
  suffix?: string;
  raw?: boolean;
}

export interface OllamaMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  thinking?: string;
  /** Images, and sound, in base64. */
  images?: string[];
  tool_calls?: OllamaToolCall[];
  /** The name of the tool whose result this is. */
  tool_name?: string;
  tool_call_id?: string;
}

export interface OllamaToolCall {
  id?: string;
  function: { name: string; arguments: JsonObject };
}

export interface OllamaTool {
  type: 'function';
  function: { name: string; description?: string; parameters: JsonObject };
}

/** The values of `think`, which each model may have of its own. */
export type ThinkValue = boolean | string;

/** A whole response, or one line of a stream, of `api/chat` and of `api/generate`. */
export interface OllamaResponse {
  message?: {
    content?: string;
    thinking?: string;
    tool_calls?: readonly { id?: string; function?: { name?: string; arguments?: unknown } }[];
  };
  response?: string;
  logprobs?: readonly object[];
  done?: boolean;
  done_reason?: string;
  /** Tokens, those in the cache included. Absent where they are none, and from old servers where all were cached. */
  prompt_eval_count?: number;
  /** Those of them that were in the cache. */
  prompt_eval_cached_count?: number;
  /** Tokens, thinking included. Absent where they are none. */
  eval_count?: number;
  error?: unknown;
}

/** The body of `GET api/tags`. */
export interface TagsResponse {
  models: readonly { name?: string; model?: string; modified_at?: unknown; digest?: string }[];
}

/** The body of `POST api/show`. */
export interface ShowResponse {
  /** The settings of the model's own file, one in each line. */
  parameters?: string;
  /** With `<architecture>.context_length`, in tokens. */
  model_info?: unknown;
  /** `completion`, `tools`, `vision`, `thinking` and so on; absent from old servers. */
  capabilities?: readonly string[];
  /** The values of `think`; absent from old servers. */
  thinking?: unknown;
}
