import { changedFrom } from '../../../json/json-source.js';
import { copyMembers, copyOf, copyWith, hasSomeText, valueAt } from '../../../wire/members.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';

/** Tokens below which the vendor refuses an output limit (developers.openai.com/api/reference, max_output_tokens). */
const LEAST_TOKENS = 16;

export interface TakenItems {
  /** Reasoning is taken as the vendor has encrypted it, and refused with its text. */
  readonly reasoning: 'encrypted';
}

/**
 * The body of a request that the client has written in this format: its conversation and its tools as they came, and
 * beside them what the gateway may have changed. The vendor stores nothing.
 * @returns undefined where the client has written another format, or asks for less output than the vendor lets
 */
export function responsesRequest(request: ChatGenerationRequest, upstreamModel: string, takes?: TakenItems): JsonObject | undefined {
  const {
    native,
    extra = {},
    max_tokens,
    max_tool_calls,
    temperature,
    top_p,
    user,
    parallel_tool_calls,
    reasoning_effort: effort,
    stream,
  } = request;
  if (native?.wire !== 'openai-responses' || (max_tokens !== undefined && max_tokens < LEAST_TOKENS)) return undefined;
  const body: JsonObject = copyMembers(native.body, copyOf(extra));
  const input = takes && valueAt(body, 'input');
  if (Array.isArray(input)) body['input'] = encryptedAlone(input as JsonObject[]);
  const { verbosity } = extra;
  delete body['verbosity'];
  if (verbosity !== undefined) body['text'] = { ...objectAt(native.body, 'text'), verbosity };
  if (effort !== undefined) body['reasoning'] = { ...objectAt(native.body, 'reasoning'), effort };
  const changed = { temperature, top_p, user, parallel_tool_calls, max_tool_calls, max_output_tokens: max_tokens };
  for (const [name, value] of Object.entries(changed)) if (value !== undefined) body[name] = value;
  return Object.assign(body, { model: upstreamModel, stream, store: false });
}

/** Without the texts of reasoning, and without reasoning that has nothing else. */
function encryptedAlone(input: readonly JsonObject[]): readonly JsonObject[] {
  const hasTexts = (item: JsonObject): boolean => item['type'] === 'reasoning' && item['content'] !== undefined;
  if (!input.some(hasTexts)) return input;
  const kept = input.filter((item) => !hasTexts(item) || hasSomeText(item, 'encrypted_content'));
  return changedFrom(
    input,
    kept.map((item) => (hasTexts(item) ? copyWith(item, { content: undefined }) : item)),
  );
}

function objectAt(holder: JsonObject, name: string): JsonObject {
  const value = holder[name];
  return isObject(value) ? value : {};
}
