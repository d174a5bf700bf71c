import type { AnswerMembers } from './answer-members.js';
import type { HostedItemDelta } from './hosted-tool.js';
import type { Integer } from './integer.js';
import type { ReasoningBlock } from './reasoning-block.js';
import type { Usage } from './usage.js';

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** A part of a message whose content is an array. Parts of other types pass on unchanged. */
export interface ContentPart {
  type: string;
  text?: string;
  refusal?: string;
  image_url?: { url: string; detail?: string };
  [field: string]: unknown;
}

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  /** Facts of a vendor that must survive until the next turn (thinking signatures). */
  extra_content?: unknown;
}

/** A call of a custom tool in the wire format of chat completions. */
export interface CustomToolCall {
  id: string;
  type: 'custom';
  custom: { name: string; input: string };
}

export interface CustomToolCallDelta {
  index: Integer;
  id?: string;
  type?: 'custom';
  custom: { name?: string; input: string };
}

/** Element of the messages array (specification, Message, with the further roles and contents of the wire format). */
export interface Message {
  role: Role;
  content?: string | ContentPart[] | null;
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  refusal?: string | null;
  reasoning_content?: string | null;
  /** An array of `ReasoningBlock` of an assistant's message, as the client sent it: its members are not checked. */
  thinking_blocks?: unknown;
  /** Whether a tool's result tells of a failure; providers whose format has no word for it read so in its text. */
  is_error?: boolean;
  [field: string]: unknown;
}

export interface Tool {
  type: 'function';
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean | null };
}

export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } };

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; json_schema: { name: string; description?: string; schema?: Record<string, unknown>; strict?: boolean | null } };

/** Protocols map vendors' words (`eos`, `end_turn` ...) to these. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: Integer[] | null;
  top_logprobs: { token: string; logprob: number; bytes: Integer[] | null }[];
}

/** The wire format's chat logprobs; the specification does not show them. */
export interface ChatLogprobs {
  content: TokenLogprob[] | null;
  refusal: TokenLogprob[] | null;
}

export interface AssistantMessage {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  tool_calls?: (ToolCall | CustomToolCall)[];
  /** In the place of `tool_calls`, where the client declared its tools as `functions`. */
  function_call?: { name: string; arguments: string };
  reasoning_content?: string;
  /** The same text as `reasoning_content`: clients read one or the other. */
  reasoning?: string;
  [field: string]: unknown;
}

/** With the word of the format before tools. */
export type ClientFinishReason = FinishReason | 'function_call';

export interface ChatCompletion extends AnswerMembers {
  id: string;
  object: 'chat.completion';
  created: Integer;
  model: string;
  choices: { index: Integer; message: AssistantMessage; logprobs: ChatLogprobs | null; finish_reason: ClientFinishReason }[];
  usage: Usage;
}

export interface ToolCallDelta {
  index: Integer;
  id?: string;
  type?: 'function';
  function?: { name?: string; arguments?: string };
  extra_content?: unknown;
}

export interface Delta {
  role?: 'assistant';
  content?: string | null;
  refusal?: string | null;
  tool_calls?: ToolCallDelta[];
  reasoning_content?: string;
  thinking_blocks?: ReasoningBlock[];
  hosted_items?: HostedItemDelta[];
  [field: string]: unknown;
}

/** A delta as clients get it: in the words in which they have declared their tools. */
export interface ClientDelta {
  role?: 'assistant';
  content?: string | null;
  refusal?: string | null;
  reasoning_content?: string;
  thinking_blocks?: ReasoningBlock[];
  tool_calls?: (ToolCallDelta | CustomToolCallDelta)[];
  function_call?: { name?: string; arguments?: string };
  /** The same text as `reasoning_content`: clients read one or the other. */
  reasoning?: string;
  [field: string]: unknown;
}

export interface ChatCompletionChunk extends AnswerMembers {
  id: string;
  object: 'chat.completion.chunk';
  created: Integer;
  model: string;
  choices: { index: Integer; delta: ClientDelta; logprobs?: ChatLogprobs | null; finish_reason: ClientFinishReason | null }[];
  usage?: Usage | null;
}
