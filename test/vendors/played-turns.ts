import type { RecordedRequest, Reply } from '../../src/providers/testing/loopback-upstream.js';
import { called, customCalled, streamedResponse, text, thought, wholeResponse } from '../support/vendor-response.js';
import { anthropicVendor } from './anthropic-vendor.js';
import { bedrockVendor } from './bedrock-vendor.js';
import { chatCompletionsVendor } from './chat-completions-vendor.js';
import { cohereVendor } from './cohere-vendor.js';
import { geminiVendor } from './gemini-vendor.js';
import { ollamaVendor } from './ollama-vendor.js';
import { json, sse, type Vendor } from './vendor.js';

const facts = { context_length: 200_000, max_tokens: 32_000, capabilities: { function_calling: true, vision: true, json_mode: true } };
const compatible = (type: string, model: string): Vendor => ({
  ...chatCompletionsVendor,
  model,
  provider: (origin) => ({
    type,
    base_url: `${origin}/v1`,
    api_key: 'key',
    free: true,
    input_ceilings: { image: 2_000 },
    models: { [model]: facts },
  }),
});

/** Whom the gateway asks, by the first segment of the path. OpenAI is asked in both of its formats. */
export const vendors: Readonly<Record<string, Vendor<string | Buffer>>> = {
  openai: compatible('openai', 'gpt-5.1'),
  'own-server': compatible('openai-compatible', 'house-model'),
  anthropic: anthropicVendor,
  gemini: geminiVendor,
  bedrock: bedrockVendor,
  cohere: cohereVendor,
  ollama: ollamaVendor,
  mistral: compatible('mistral', 'mistral-large-latest'),
  vllm: compatible('vllm', 'Qwen/Qwen3.5-4B'),
  'vllm-mistral': compatible('vllm', 'mistralai/Mistral-Small-3.2-24B-Instruct-2506'),
  'vllm-llama': compatible('vllm', 'meta-llama-Llama-3.3-70B-Instruct'),
  deepseek: compatible('deepseek', 'deepseek-v4-flash'),
};
/** Their models see no images. */
export const blind: ReadonlySet<string> = new Set(['cohere', 'ollama', 'deepseek']);
/** They answer with no reasoning. */
const curt: ReadonlySet<string> = new Set(['cohere', 'mistral']);

/** What the model calls; a text is the input of a custom tool. */
export type Calls = readonly (readonly [name: string, input: object | string])[];

/** The text of the last answer. */
export const END = 'All of it is done.';

/** What a request has for each result of a tool, in the formats of all vendors. */
const RESULT = /"role":"tool"|"type":"tool_result"|"functionResponse":|"toolResult":|_call_output"|"tool_search_output"/g;

/**
 * The answer to a conversation that is played by turns: what the model calls next, or, behind all of it, the end.
 * @param wire of the vendors
 */
export function play(wire: string, request: RecordedRequest, turns: readonly Calls[]): Reply {
  let results = request.body.match(RESULT)?.length ?? 0;
  const turn = turns.findIndex((calls) => (results -= calls.length) < 0);
  return answered(wire, request, turn, turns[turn]);
}

/** @param calls absent: the end */
function answered(wire: string, { path, body }: RecordedRequest, turn: number, calls?: Calls): Reply {
  const stream = path.includes('tream') || body.includes('"stream":true');
  const idOf = (index: number): string => (wire === 'mistral' ? `aB3dE6g${turn}${index}` : `call_${turn}_${index}`);
  if (path.endsWith('/responses')) {
    const items = calls?.map(([name, input], index) => {
      if (typeof input === 'string') return customCalled(idOf(index), name, input);
      const search = { type: 'tool_search_call', id: 'tsc_1', call_id: idOf(index), execution: 'client', arguments: input };
      return name === 'tool_search' ? search : called(idOf(index), name, input);
    });
    const output = items ? [thought('Let me see.'), ...items] : [text(END)];
    return stream ? { headers: sse, body: streamedResponse(output) } : { headers: json, body: wholeResponse(output) };
  }
  const { answer, messages = answer } = vendors[wire]!;
  const made = calls?.map(([name, input], index) => {
    return { id: idOf(index), name, arguments: typeof input === 'string' ? { input } : input };
  });
  const thinks = !curt.has(wire) && { thought: 'Let me see.' };
  return (path.includes('/invoke') ? messages : answer)(made ? { ...thinks, calls: made } : { text: END }, stream);
}
