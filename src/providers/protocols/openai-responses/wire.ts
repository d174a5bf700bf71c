import type { JsonObject } from '../../../wire/json-object.js';

/*
 * OpenAI's Responses (openai-node, src/resources/responses/responses.ts) as far as they are read. The type of each member
 * is checked before its use.
 */

export interface ResponsePart {
  type?: unknown;
  text?: unknown;
  refusal?: unknown;
  annotations?: unknown;
  logprobs?: unknown;
}

export interface ResponseItem {
  type?: unknown;
  /** Of a message: `commentary` or `final_answer`. */
  phase?: unknown;
  content?: unknown;
  summary?: unknown;
  encrypted_content?: unknown;
  call_id?: unknown;
  name?: unknown;
  arguments?: unknown;
  input?: unknown;
}

export interface Response {
  status?: unknown;
  output?: unknown;
  error?: unknown;
  incomplete_details?: unknown;
  service_tier?: unknown;
  usage?: unknown;
}

export interface ResponseEvent {
  type?: unknown;
  output_index?: unknown;
  content_index?: unknown;
  summary_index?: unknown;
  delta?: unknown;
  logprobs?: unknown;
  annotation?: unknown;
  item?: JsonObject & ResponseItem;
  response?: JsonObject & Response;
}
