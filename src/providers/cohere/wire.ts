/** The body of POST /v2/chat, as far as the gateway uses the vendor's format. */
export interface ChatBody {
  model: string;
  messages: ChatMessage[];
  stream: boolean;
  tools?: ChatTool[];
  tool_choice?: 'REQUIRED' | 'NONE';
  strict_tools?: boolean;
  documents?: unknown;
  citation_options?: unknown;
  response_format?: { type: 'json_object'; json_schema?: Record<string, unknown> };
  safety_mode?: unknown;
  max_tokens?: number;
  stop_sequences?: string[];
  temperature?: number;
  seed?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  k?: unknown;
  p?: number;
  thinking?: ThinkingSetting;
  priority?: unknown;
}

export type ChatMessage =
  | { role: 'system'; content: string | TextContent[] }
  | { role: 'user'; content: string | (TextContent | ImageContent)[] }
  | AssistantTurn
  | { role: 'tool'; tool_call_id: string; content: string | TextContent[] };

export interface AssistantTurn {
  role: 'assistant';
  content?: string | (TextContent | ThinkingContent)[];
  tool_plan?: string;
  tool_calls?: CalledTool[];
}

export interface TextContent {
  type: 'text';
  text: string;
}

export interface ThinkingContent {
  type: 'thinking';
  thinking: string;
}

export interface ImageContent {
  type: 'image_url';
  image_url: { url: string; detail?: ImageDetail };
}

export const imageDetails = ['auto', 'low', 'high'] as const;

export type ImageDetail = (typeof imageDetails)[number];

export interface CalledTool {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description?: string; parameters: Record<string, unknown> };
}

export interface ThinkingSetting {
  type: 'enabled' | 'disabled';
  token_budget?: number;
}

/** An event of a stream, as far as it is read. The type of each field is checked before its use. */
export interface ChatEvent {
  type?: unknown;
  index?: number | null;
  delta?: EventDelta | null;
}

/** How an answer ends, in its last event or without a stream. */
export interface AnswerEnd {
  finish_reason?: unknown;
  error?: unknown;
  error_type?: unknown;
  usage?: unknown;
}

interface EventDelta extends AnswerEnd {
  message?: {
    role?: unknown;
    content?: ResponseContent | null;
    tool_plan?: unknown;
    tool_calls?: ResponseCall | null;
    citations?: Citation | null;
  } | null;
}

/** The answer that is not streamed. */
export interface ChatResponse {
  message?: {
    content?: readonly ResponseContent[] | null;
    tool_plan?: unknown;
    tool_calls?: readonly ResponseCall[] | null;
    citations?: readonly Citation[] | null;
  } | null;
  finish_reason?: unknown;
  usage?: unknown;
}

export interface ResponseContent {
  type?: unknown;
  text?: unknown;
  thinking?: unknown;
}

export interface ResponseCall {
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

export interface Citation {
  /** Of the cited text in its block of content. */
  start?: unknown;
  end?: unknown;
  type?: unknown;
  content_index?: unknown;
  sources?: readonly CitedSource[] | null;
}

export interface CitedSource {
  type?: unknown;
  id?: unknown;
  /** Of a source that is a document of the request. */
  document?: unknown;
  /** Of a source that is the result of a tool. */
  tool_output?: unknown;
}

export interface ChatUsage {
  /** What Cohere charges for. */
  billed_units?: TokenCounts | null;
  /** What the model has read and written, Cohere's own instructions included. */
  tokens?: (TokenCounts & { /** Those of the output. */ reasoning_tokens?: unknown }) | null;
  /** Those of the tokens read that came from a cache. */
  cached_tokens?: unknown;
}

export interface TokenCounts {
  input_tokens?: unknown;
  output_tokens?: unknown;
}
