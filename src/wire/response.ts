import type { Integer } from './integer.js';
import type { InputItem } from './response-input.js';
import type { ResponseTool, ResponseToolChoice, TextSettings } from './response-tool.js';

/*
 * OpenAI's Responses format as far as it is answered here (openai-node, src/resources/responses/responses.ts).
 */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface ResponseLogprob {
  token: string;
  logprob: number;
  bytes: Integer[];
  top_logprobs: { token: string; logprob: number; bytes: Integer[] }[];
}

export interface OutputText {
  type: 'output_text';
  text: string;
  annotations: UrlCitation[];
  /** Only where `include` has `message.output_text.logprobs`; otherwise empty. */
  logprobs: ResponseLogprob[];
}

/** A source of the text; `start_index` and `end_index` are characters of it. */
export interface UrlCitation {
  type: 'url_citation';
  start_index: Integer;
  end_index: Integer;
  title: string;
  url: string;
}

export interface OutputRefusal {
  type: 'refusal';
  refusal: string;
}

export interface OutputMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  status: ItemStatus;
  /** Whether it says something on the way to the answer, where the vendor tells it. */
  phase?: 'commentary' | 'final_answer';
  content: (OutputText | OutputRefusal)[];
}

export interface ReasoningItem {
  id: string;
  type: 'reasoning';
  status: ItemStatus;
  /** The reasoning where `reasoning.summary` was asked for. */
  summary: { type: 'summary_text'; text: string }[];
  /** The reasoning where it was not. */
  content?: { type: 'reasoning_text'; text: string }[];
  /**
   * What a later request needs to go on with this reasoning, to be sent back as it is. Only where `include` asks for it,
   * or a vendor of this format sends it unasked.
   */
  encrypted_content?: string | null;
}

export interface FunctionCallItem {
  id: string;
  type: 'function_call';
  status: ItemStatus;
  call_id: string;
  name: string;
  namespace?: string;
  /** JSON. */
  arguments: string;
}

export interface CustomToolCallItem {
  id: string;
  type: 'custom_tool_call';
  status: ItemStatus;
  call_id: string;
  name: string;
  namespace?: string;
  input: string;
}

/** A call of a hosted tool, or what belongs to one, with members of its own; its ids are the gateway's. */
export interface HostedItem {
  id: string;
  type:
    | 'web_search_call'
    | 'file_search_call'
    | 'code_interpreter_call'
    | 'image_generation_call'
    | 'mcp_list_tools'
    | 'mcp_call'
    | 'mcp_approval_request'
    | 'local_shell_call'
    | 'apply_patch_call'
    | 'computer_call'
    | 'tool_search_call'
    | 'tool_search_output';
  [member: string]: unknown;
}

export type OutputItem = HostedItem | OutputMessage | ReasoningItem | FunctionCallItem | CustomToolCallItem;

export interface ResponseUsage {
  input_tokens: Integer;
  input_tokens_details: { cached_tokens: Integer; cache_write_tokens: Integer };
  output_tokens: Integer;
  output_tokens_details: { reasoning_tokens: Integer };
  total_tokens: Integer;
}

/** The answer of POST /v1/responses; within a stream, of the events at its beginning and its end. */
export interface ResponseObject {
  id: string;
  object: 'response';
  created_at: Integer;
  completed_at: Integer | null;
  /** `queued` and `cancelled` only in the background. */
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  background: boolean;
  error: { code: 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt'; message: string } | null;
  incomplete_details: { reason: 'max_output_tokens' | 'content_filter' } | null;
  instructions: string | null;
  max_output_tokens: Integer | null;
  max_tool_calls: Integer | null;
  model: string;
  output: OutputItem[];
  parallel_tool_calls: boolean;
  previous_response_id: string | null;
  reasoning: { effort: string | null; summary: string | null };
  service_tier: string;
  store: boolean;
  temperature: number | null;
  text: TextSettings;
  tool_choice: ResponseToolChoice;
  tools: ResponseTool[];
  top_logprobs: Integer;
  top_p: number | null;
  truncation: 'disabled';
  usage: ResponseUsage | null;
  user: string | null;
  metadata: Record<string, string>;
  access_programs: null;
}

/** The data of an event of a stream; its type is the event's name too, and says which of the members it has. */
export interface ResponseEvent {
  type: string;
  /** Counts the events of the stream from 0. */
  sequence_number: Integer;
  response?: ResponseObject;
  item?: OutputItem;
  part?: OutputText | OutputRefusal | { type: 'summary_text' | 'reasoning_text'; text: string };
  annotation?: UrlCitation;
  item_id?: string;
  output_index?: Integer;
  content_index?: Integer;
  summary_index?: Integer;
  annotation_index?: Integer;
  delta?: string;
  text?: string;
  refusal?: string;
  name?: string;
  arguments?: string;
  input?: string;
  logprobs?: ResponseLogprob[];
}

/** The answer of GET /v1/responses/{id}/input_items. */
export interface ResponseItemList {
  object: 'list';
  /** Items of the conversation before the response, with ids of the gateway. */
  data: (InputItem | OutputItem)[];
  /** Empty where the list is. */
  first_id: string;
  last_id: string;
  /** Whether there are more behind `last_id`. */
  has_more: boolean;
}

/** The answer of DELETE /v1/responses/{id}. */
export interface DeletedResponse {
  id: string;
  object: 'response';
  deleted: true;
}
