import type { RedactedThinkingBlock, ThinkingBlock } from '../../../wire/anthropic-message.js';

/** The body of POST /v1/messages, as far as the gateway uses the vendor's format. */
export interface MessagesBody {
  model: string;
  max_tokens: number;
  messages: Turn[];
  stream: boolean;
  system?: string | TextBlock[];
  tools?: MessagesTool[];
  tool_choice?: MessagesToolChoice;
  stop_sequences?: string[];
  temperature?: number;
  top_p?: number;
  top_k?: number;
  metadata?: { user_id: string };
  thinking?: ThinkingSetting;
  output_config?: { effort?: Effort; format?: { type: 'json_schema'; schema: Record<string, unknown> } };
  cache_control?: CacheControl;
  service_tier?: 'auto' | 'standard_only';
}

/** A marker of prompt caching, as the client sent it. */
export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

/** The content of a turn that a client wrote in this form may be a text as well. */
export type Turn = { role: 'user' | 'assistant'; content: Block[] } | { role: 'system'; content: TextBlock[] };

export interface TextBlock {
  type: 'text';
  text: string;
  cache_control?: CacheControl;
}

export interface ImageBlock {
  type: 'image';
  source: { type: 'base64'; media_type: ImageType; data: string } | { type: 'url'; url: string };
  cache_control?: CacheControl;
}

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export interface DocumentBlock {
  type: 'document';
  source: { type: 'base64'; media_type: 'application/pdf'; data: string } | { type: 'url'; url: string };
  title?: string;
  cache_control?: CacheControl;
}

export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  cache_control?: CacheControl;
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | PartBlock[];
  is_error?: true;
  cache_control?: CacheControl;
}

/** The blocks that content parts of a client's message are converted to. */
export type PartBlock = TextBlock | ImageBlock | DocumentBlock;
export type Block = PartBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock | RedactedThinkingBlock;

export interface MessagesTool {
  name: string;
  description?: string;
  input_schema: { type: 'object' } & Record<string, unknown>;
  strict?: true;
  cache_control?: CacheControl;
}

export type MessagesToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: true }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: true }
  | { type: 'none' };

/** The words of `output_config.effort`, shallow to deep. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number];

export type ThinkingSetting =
  | { type: 'adaptive'; display?: 'summarized' | 'omitted' }
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'disabled' }
  | { type: 'between_tools' };

/** An event of a stream, as far as it is read. The type of each field is checked before its use. */
export interface MessageEvent {
  type?: unknown;
  index?: number;
  message?: { usage?: unknown } | null;
  content_block?: ResponseBlock | null;
  delta?: {
    type?: unknown;
    text?: unknown;
    thinking?: unknown;
    signature?: unknown;
    partial_json?: unknown;
    stop_reason?: unknown;
    stop_sequence?: unknown;
    citation?: unknown;
  } | null;
  usage?: unknown;
}

export interface ResponseBlock {
  type?: unknown;
  text?: unknown;
  thinking?: unknown;
  signature?: unknown;
  data?: unknown;
  id?: unknown;
  name?: unknown;
  input?: unknown;
  content?: unknown;
  citations?: unknown;
}
