import type { Delta, ToolCallDelta } from '../../wire/chat-completion.js';
import type { GenerationChoice, GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { requireWithin } from '../translation/answer-limits.js';
import { ProviderError } from '../contract/provider-error.js';
import { chatLogprobsFrom, completionLogprobsFrom } from '../protocols/chat-completions/logprobs.js';
import { isText } from '../protocols/is-text.js';
import { inBandOllamaError } from './error.js';
import { finishReasonFrom } from './finish-reason.js';
import { usageFrom } from './usage.js';
import type { OllamaResponse } from './wire.js';

/**
 * Makes the id of a call that has none, as those of old servers: the same for the same call of the same
 * request, so that a replayed response is equal, and of at most 40 characters, which all compatible providers accept.
 */
function generatedId(requestId: string, index: number): string {
  return `call_ol${requestId.replaceAll('-', '').slice(-20)}_${index}`;
}

/** An empty chunk that says that the provider is alive: while it reads a tool call it sends lines without output. */
const alive: GenerationChunk = { choices: [] };

/**
 * Translates one response of `api/chat` or `api/generate` to the wire format, line by line or as a whole. Finish reason
 * and usage are those of the line that is done.
 */
export class OllamaTranslator {
  /** Whether there was output. */
  #begun = false;
  #calls = 0;
  /** UTF-16 code units of a completion. */
  #textLength = 0;
  #done: OllamaResponse | undefined;

  /** @param secrets are removed from the vendor's error messages */
  constructor(
    private readonly request: GenerationRequest,
    private readonly requestId: string,
    private readonly secrets: readonly string[],
  ) {}

  /** True once the vendor has said that nothing more comes. */
  get ended(): boolean {
    return this.#done !== undefined;
  }

  /** Translates one line of a stream. @throws ProviderError */
  event(line: OllamaResponse): GenerationChunk {
    const choice = this.#read(line);
    return choice ? { choices: [choice] } : alive;
  }

  /**
   * The stream has ended.
   * @throws ProviderError bad_response where the response has not
   */
  end(): GenerationChunk[] {
    const last = this.#finished();
    return this.#begun ? [last] : [{ choices: [this.#choice({ content: '' })] }, last];
  }

  /** Translates a response that is not streamed. @throws ProviderError */
  whole(body: OllamaResponse): GenerationChunk {
    const read = this.#read(body);
    const { choices, ...counted } = this.#finished();
    const choice = read ?? this.#choice({ content: '' });
    return { choices: [{ ...choice, finish_reason: choices[0]!.finish_reason }], ...counted };
  }

  #finished(): GenerationChunk {
    const done = this.#done;
    if (!done) throw new ProviderError('bad_response', 'Ollama ended its answer before it was done');
    const finish_reason = finishReasonFrom(done.done_reason, this.#calls > 0);
    const output = this.request.operation === 'chat' ? { delta: {} } : { text: '' };
    return { choices: [{ index: 0, ...output, finish_reason }], ...usageFrom(done, this.#begun) };
  }

  /** @returns undefined where there is no output */
  #read(line: OllamaResponse): GenerationChoice | undefined {
    if (line.error != null) throw inBandOllamaError(line.error, this.secrets);
    if (line.done === true) this.#done = line;
    const choice = this.request.operation === 'chat' ? this.#chat(line) : this.#completion(line);
    if (choice) this.#begun = true;
    return choice;
  }

  #chat({ message, logprobs }: OllamaResponse): GenerationChoice | undefined {
    const { content, thinking, tool_calls: calls } = isObject(message) ? message : {};
    const delta: Delta = {};
    if (isText(thinking)) delta.reasoning_content = thinking;
    if (isText(content)) delta.content = content;
    if (Array.isArray(calls) && calls.length > 0) delta.tool_calls = calls.map((call) => this.#call(call));
    const probabilities = isList(logprobs) ? chatLogprobsFrom({ content: logprobs }, this.#alternatives) : undefined;
    if (Object.keys(delta).length === 0 && !probabilities) return undefined;
    return { ...this.#choice(delta), ...(probabilities && { logprobs: probabilities }) };
  }

  #completion({ response, logprobs }: OllamaResponse): GenerationChoice | undefined {
    const text = isText(response) ? response : '';
    const given = isList(logprobs) ? completionLogprobsFrom({ content: logprobs }, this.#textLength) : undefined;
    this.#textLength += text.length;
    if (text === '' && !given) return undefined;
    return { index: 0, text, logprobs: given ?? null, finish_reason: null };
  }

  get #alternatives(): number {
    return (this.request.operation === 'chat' && this.request.top_logprobs) || 0;
  }

  /** The first delta of a chat carries the role. */
  #choice(delta: Delta): GenerationChoice {
    if (this.request.operation !== 'chat') return { index: 0, text: '', logprobs: null, finish_reason: null };
    return { index: 0, delta: this.#begun ? delta : { role: 'assistant', ...delta }, finish_reason: null };
  }

  /** The vendor sends a call as a whole, with its arguments as an object. */
  #call(call: unknown): ToolCallDelta {
    const { id, function: called } = isObject(call) ? call : {};
    const { name, arguments: given }: JsonObject = isObject(called) ? called : {};
    if (!isText(name)) throw new ProviderError('bad_response', 'Ollama called a tool without a name');
    const index = this.#calls++;
    requireWithin(this.#calls, 'tool calls');
    return {
      index,
      id: isText(id) ? id : generatedId(this.requestId, index),
      type: 'function',
      function: { name, arguments: isText(given) ? given : JSON.stringify(given ?? {}) },
    };
  }
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
