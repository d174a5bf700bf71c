/**
 * The body of `POST model/{modelId}/converse` and `converse-stream`, as far as the gateway uses the vendor's format.
 */
export interface ConverseBody {
  messages: ConverseMessage[];
  system?: SystemBlock[];
  inferenceConfig: InferenceConfig;
  toolConfig?: ToolConfig;
  guardrailConfig?: { guardrailIdentifier: string; guardrailVersion: string; streamProcessingMode?: 'sync' | 'async' };
  outputConfig?: { textFormat: { type: 'json_schema'; structure: { jsonSchema: { schema: string } } } };
  /** Fields of the model's own format. */
  additionalModelRequestFields?: Record<string, unknown>;
  requestMetadata?: Record<string, string>;
  serviceTier?: { type: string };
}

export interface InferenceConfig {
  maxTokens: number;
  temperature?: number;
  topP?: number;
  stopSequences?: string[];
}

export interface ConverseMessage {
  role: 'user' | 'assistant';
  content: ConverseBlock[];
}

export interface TextBlock {
  text: string;
}

export interface ImageBlock {
  /** Bytes in base64. */
  image: { format: 'png' | 'jpeg' | 'gif' | 'webp'; source: { bytes: string } };
}

export interface DocumentBlock {
  /** Bytes in base64. */
  document: { format: DocumentFormat; name: string; source: { bytes: string } };
}

export type DocumentFormat = 'pdf' | 'csv' | 'doc' | 'docx' | 'xls' | 'xlsx' | 'html' | 'txt' | 'md';

export interface ToolUseBlock {
  toolUse: { toolUseId: string; name: string; input: Record<string, unknown> };
}

export interface ToolResultBlock {
  toolResult: { toolUseId: string; content: (TextBlock | ImageBlock | DocumentBlock)[]; status?: 'error' };
}

export interface ReasoningBlock {
  /** Bytes in base64. */
  reasoningContent: { reasoningText: { text: string; signature: string } } | { redactedContent: string };
}

export interface CachePointBlock {
  cachePoint: { type: 'default'; ttl?: '1h' };
}

export type SystemBlock = TextBlock | CachePointBlock;
export type PartBlock = TextBlock | ImageBlock | DocumentBlock | CachePointBlock;
export type ConverseBlock = PartBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock;

export interface ToolConfig {
  tools: (ToolSpec | CachePointBlock)[];
  toolChoice?: { auto: Record<string, never> } | { any: Record<string, never> } | { tool: { name: string } };
}

export interface ToolSpec {
  toolSpec: { name: string; description?: string; inputSchema: { json: Record<string, unknown> }; strict?: true };
}

/** A block of a whole answer. The type of each field is checked before its use. */
export interface ResponseBlock {
  text?: unknown;
  toolUse?: { toolUseId?: unknown; name?: unknown; input?: unknown } | null;
  reasoningContent?: { reasoningText?: { text?: unknown; signature?: unknown } | null; redactedContent?: unknown } | null;
  citationsContent?: { content?: unknown } | null;
}

/** An event of a stream, whose name its frame tells. The type of each field is checked before its use. */
export interface ConverseEvent {
  contentBlockIndex?: number;
  start?: { toolUse?: { toolUseId?: unknown; name?: unknown } | null } | null;
  delta?: {
    text?: unknown;
    toolUse?: { input?: unknown } | null;
    reasoningContent?: { text?: unknown; signature?: unknown; redactedContent?: unknown } | null;
  } | null;
  stopReason?: unknown;
  usage?: unknown;
  serviceTier?: unknown;
}
