import type { Integer } from './integer.js';

/*
 * Anthropic's Messages as the gateway reads and writes them (docs.anthropic.com, Messages; the types of
 * `@anthropic-ai/sdk`).
 */

/** A mark of prompt caching. */
export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

export interface TextBlockParam {
  type: 'text';
  text: string;
  cache_control?: CacheControl | null;
}

export interface ImageBlockParam {
  type: 'image';
  source:
    { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string } | { type: 'url'; url: string };
  cache_control?: CacheControl | null;
}

export interface DocumentBlockParam {
  type: 'document';
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'url'; url: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'content'; content: string | (TextBlockParam | ImageBlockParam)[] };
  title?: string | null;
  context?: string | null;
  cache_control?: CacheControl | null;
}

export interface SearchResultBlockParam {
  type: 'search_result';
  source: string;
  title: string;
  content: TextBlockParam[];
  cache_control?: CacheControl | null;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  /** Proves to the vendor that the thinking is its model's; empty where the model's vendor signs nothing. */
  signature: string;
}

export interface RedactedThinkingBlock {
  type: 'redacted_thinking';
  data: string;
}

export interface ToolUseBlockParam {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  cache_control?: CacheControl | null;
}

/** A tool that a client's search has found. */
export interface ToolReferenceBlockParam {
  type: 'tool_reference';
  tool_name: string;
  cache_control?: CacheControl | null;
}

/** A call of a tool that its vendor runs. */
export interface ServerToolUseBlockParam extends Omit<ToolUseBlockParam, 'type'> {
  type: 'server_tool_use' | 'mcp_tool_use';
}

export type ServerResultType =
  | 'web_search_tool_result'
  | 'web_fetch_tool_result'
  | 'tool_search_tool_result'
  | 'code_execution_tool_result'
  | 'bash_code_execution_tool_result'
  | 'text_editor_code_execution_tool_result'
  | 'mcp_tool_result';

/** What such a call has brought. */
export interface ServerToolResultBlockParam {
  type: ServerResultType;
  tool_use_id: string;
  content: unknown;
  is_error?: boolean | null;
  cache_control?: CacheControl | null;
}

/** What a vendor has summed the earlier conversation up to. */
export interface CompactionBlockParam {
  type: 'compaction';
  content?: string | null;
  cache_control?: CacheControl | null;
}

/** What a turn or the result of a tool shows to the model. */
export type ShownBlockParam = TextBlockParam | ImageBlockParam | DocumentBlockParam | SearchResultBlockParam;

export interface ToolResultBlockParam {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | (ShownBlockParam | ToolReferenceBlockParam)[] | null;
  is_error?: boolean | null;
  cache_control?: CacheControl | null;
}

export type BlockParam =
  | ShownBlockParam
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlockParam
  | ToolResultBlockParam
  | ServerToolUseBlockParam
  | ServerToolResultBlockParam
  | CompactionBlockParam;

export interface TurnParam {
  role: 'user' | 'assistant' | 'system';
  content: string | BlockParam[];
}

export interface MessagesTool {
  type?: 'custom' | null;
  name: string;
  description?: string | null;
  input_schema: Record<string, unknown>;
  strict?: boolean | null;
  eager_input_streaming?: boolean | null;
  /** Whether the model is told of the tool only once a search has found it; others than Anthropic tell it at once. */
  defer_loading?: boolean | null;
  cache_control?: CacheControl | null;
}

/** A tool that the vendor runs, or has declared for the client to run, with members of its own. */
export interface ServerTool {
  /** With the date of its version: `web_search_20250305`. */
  type: string;
  max_uses?: Integer | null;
  [member: string]: unknown;
}

export type MessagesToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean | null }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean | null }
  | { type: 'none' };

export type ThinkingParam =
  | { type: 'enabled'; budget_tokens: Integer; display?: 'summarized' | 'omitted' | null }
  | { type: 'adaptive'; display?: 'summarized' | 'omitted' | null }
  | { type: 'disabled' }
  | { type: 'between_tools' };

export interface OutputFormat {
  type: 'json_schema';
  schema: Record<string, unknown>;
}

export interface OutputConfig {
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  format?: OutputFormat | null;
  /** Tokens that the model may plan for a whole task; its vendor checks them. */
  task_budget?: Record<string, unknown> | null;
}

export interface TextBlock {
  type: 'text';
  text: string;
  /** Of what a tool of the vendor's has found. */
  citations: Record<string, unknown>[] | null;
}

export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The model itself, and no tool of the vendor's. */
  caller: { type: 'direct' };
}

/** A call of a tool that the vendor runs, or what it has brought, as the vendor says it. */
export interface ServerBlock {
  type: 'server_tool_use' | ServerResultType;
  [member: string]: unknown;
}

export type MessageBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ServerBlock;

/** `pause_turn`: the vendor goes on with its tools once the message is sent back. */
export type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'pause_turn' | 'refusal';

/** Tokens. `input_tokens` has neither what was read from a cache nor what was written to it. */
export interface MessageUsage {
  input_tokens: Integer;
  cache_creation_input_tokens: Integer;
  cache_read_input_tokens: Integer;
  cache_creation: { ephemeral_5m_input_tokens: Integer; ephemeral_1h_input_tokens: Integer } | null;
  output_tokens: Integer;
  output_tokens_details: { thinking_tokens: Integer } | null;
  server_tool_use: { web_search_requests: Integer; web_fetch_requests: Integer } | null;
  /** Null for a tier that the format has no word for. */
  service_tier: 'standard' | 'priority' | 'batch' | null;
  inference_geo: null;
  speed: null;
}

/** How an answer has ended. */
export interface MessageEnd {
  stop_reason: StopReason | null;
  /** The sequence before which the answer has ended, where the provider tells it. */
  stop_sequence: string | null;
  stop_details: null;
  container: null;
}

/** Response of create message. */
export interface AnthropicMessage extends MessageEnd {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: MessageBlock[];
  diagnostics: null;
  usage: MessageUsage;
}

/** What a stream is made of, in this order: blocks follow each other, and a ping may come between any two events. */
export type MessageStreamEvent =
  | { type: 'message_start'; message: AnthropicMessage }
  | { type: 'ping' }
  | { type: 'content_block_start'; index: Integer; content_block: MessageBlock }
  | { type: 'content_block_delta'; index: Integer; delta: BlockDelta }
  | { type: 'content_block_stop'; index: Integer }
  | { type: 'message_delta'; delta: MessageEnd; usage: MessageUsage }
  | { type: 'message_stop' };

export type BlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'citations_delta'; citation: Record<string, unknown> };

/** Response of count tokens. */
export interface TokensCount {
  input_tokens: Integer;
}

/** The body of every error response, and the payload of a stream's last event where it fails. */
export interface MessagesErrorBody {
  type: 'error';
  error: {
    type: MessagesErrorType;
    message: string;
    /** The gateway's own code of the error. */
    details: { error_code: string };
  };
  request_id: string;
}

export type MessagesErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'overloaded_error'
  | 'api_error';

/** Element of the list of models in Anthropic's shape. */
export interface AnthropicModel {
  type: 'model';
  id: string;
  display_name: string;
  /** RFC 3339. */
  created_at: string;
  max_input_tokens: Integer;
  max_tokens: Integer;
  lifecycle: 'active';
  deprecated_at: null;
  retires_at: null;
  line: null;
  capabilities: null;
}

export interface AnthropicModelList {
  data: AnthropicModel[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}
