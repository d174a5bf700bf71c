/*
 * What a request in OpenAI's Responses format says of tools, of the form of its answer and of reasoning.
 */

export interface FunctionToolDeclaration {
  type: 'function';
  name: string;
  description?: string | null;
  parameters?: Record<string, unknown> | null;
  strict?: boolean | null;
  /** Whether the model is told of it by a search of tools alone. */
  defer_loading?: boolean | null;
}

export interface CustomToolDeclaration {
  type: 'custom';
  name: string;
  description?: string | null;
  format?: ({ type: 'text' } | { type: 'grammar'; definition: string; syntax: 'lark' | 'regex' }) | null;
}

export type CallableTool = FunctionToolDeclaration | CustomToolDeclaration;

/** Tools that are called by the names of both. The model gets them as `namespace__name`. */
export interface NamespaceDeclaration {
  type: 'namespace';
  name: string;
  description?: string | null;
  tools: CallableTool[];
}

export type HostedToolType =
  | 'tool_search'
  | 'web_search'
  | 'web_search_2025_08_26'
  | 'web_search_preview'
  | 'web_search_preview_2025_03_11'
  | 'file_search'
  | 'code_interpreter'
  | 'image_generation'
  | 'mcp'
  | 'local_shell'
  | 'apply_patch'
  | 'computer'
  | 'computer_use_preview';

/** A tool that the vendor runs, or has declared itself, with members of its own. */
export interface HostedToolDeclaration {
  type: HostedToolType;
  [member: string]: unknown;
}

export type ResponseTool = CallableTool | NamespaceDeclaration | HostedToolDeclaration;

export interface NamedTool {
  type: 'function' | 'custom';
  name: string;
  namespace?: string | null;
}

/** The choice of a hosted tool; of `mcp` with the label of its server and the name of its tool. */
export interface HostedChoice {
  type: HostedToolType;
  server_label?: string;
  name?: string | null;
}

export type ResponseToolChoice =
  'none' | 'auto' | 'required' | NamedTool | HostedChoice | { type: 'allowed_tools'; mode: 'auto' | 'required'; tools: NamedTool[] };

export type TextFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; description?: string | null; schema?: Record<string, unknown> | null; strict?: boolean | null };

export interface TextSettings {
  format?: TextFormat | null;
  verbosity?: 'low' | 'medium' | 'high' | null;
}

export interface ReasoningSettings {
  effort?: string | null;
  summary?: 'auto' | 'concise' | 'detailed' | null;
  /** The older name of `summary`. */
  generate_summary?: 'auto' | 'concise' | 'detailed' | null;
}
