/*
 * The items of the input of a request in OpenAI's Responses format.
 */

/** A part of a message or of a tool's output that the client sends; `refusal` and `output_text` are of earlier answers. */
export interface InputPart {
  type: 'input_text' | 'output_text' | 'refusal' | 'input_image' | 'input_file' | 'input_audio';
  text?: string;
  refusal?: string;
  /** An address or a `data:` URL. */
  image_url?: string | null;
  detail?: string | null;
  /** A base64 `data:` URL. */
  file_data?: string | null;
  file_url?: string | null;
  filename?: string | null;
  input_audio?: { data: string; format: string };
  [field: string]: unknown;
}

export interface InputMessage {
  type?: 'message';
  role: 'user' | 'assistant' | 'system' | 'developer';
  content: string | InputPart[];
  [field: string]: unknown;
}

export interface InputCall {
  type: 'function_call' | 'custom_tool_call';
  call_id: string;
  name: string;
  namespace?: string | null;
  /** JSON: of a `function_call`. */
  arguments?: string;
  /** Of a `custom_tool_call`. */
  input?: string;
  [field: string]: unknown;
}

export interface InputCallOutput {
  type: 'function_call_output' | 'custom_tool_call_output';
  call_id: string;
  output: string | InputPart[];
  [field: string]: unknown;
}

export interface InputReasoning {
  type: 'reasoning';
  summary?: { type: 'summary_text'; text: string }[];
  content?: { type: 'reasoning_text'; text: string }[] | null;
  encrypted_content?: string | null;
  [field: string]: unknown;
}

/** An item that is named by its id. */
export interface InputReference {
  type?: 'item_reference' | null;
  id: string;
  [field: string]: unknown;
}

export type InputItem = InputMessage | InputCall | InputCallOutput | InputReasoning | InputReference;
