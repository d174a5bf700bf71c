import type { ProviderConfig } from '../../../config/config.schema.js';
import type { ToolCallDelta } from '../../../wire/chat-completion.js';
import type { FinishReason } from '../../../wire/chat-completion.js';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { type Usage, usageOf } from '../../../wire/usage.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../../contract/model-provider.js';
import { type KnownModel, offeredModels } from '../../contract/offered-models.js';
import { configuredEndpoint, type Endpoint, requestTo } from '../../protocols/endpoint.js';
import { fetchList, probeList } from '../../protocols/fetch-list.js';
import { inBandError, upstreamError, type UpstreamFailure } from '../../protocols/upstream-error.js';
import { vendorError } from '../../protocols/vendor-error.js';
import { isProviderError, ProviderError } from '../../contract/provider-error.js';
import type { ProviderServices, ProviderTransport } from '../../kit/provider-services.js';
import type { UpstreamRequest } from '../../transport/upstream-request.js';
import type { UpstreamResponse } from '../../transport/upstream-response.js';

export const sampleModel: KnownModel = {
  created: 1_790_000_000,
  price: { prompt: '0.001', completion: '0.002' },
  contextLength: 8_192,
  maxTokens: 1_024,
  capabilities: { chat: true, completion: false, function_calling: true, vision: false, embeddings: false, json_mode: false },
  parameters: ['max_tokens', 'temperature', 'top_p', 'seed', 'stop', 'tools'],
};

/** What is known of a stream so far. */
export interface StreamState {
  begun: boolean;
  finish: FinishReason | undefined;
  usage: Usage | undefined;
}

/**
 * A provider of a wire that nobody speaks, written as a module outside the gateway would be. Each part is a method, so
 * that a fault can be put into it. A stream has the events `{text}`, `{call: {index, id, name}}`, `{arguments: {index,
 * text}}`, `{finish}`, `{usage: {read, written}}` and `{error}`; the whole response has all of that in one object.
 */
export class SampleProvider extends ModelProvider {
  readonly name: string = 'Sample';
  protected readonly endpoint: Endpoint;
  protected readonly transport: ProviderTransport;

  constructor(
    readonly id: string,
    protected readonly config: ProviderConfig,
    protected readonly services: ProviderServices,
  ) {
    super();
    this.endpoint = this.makeEndpoint(config);
    this.transport = services.transport;
  }

  protected makeEndpoint(config: ProviderConfig): Endpoint {
    return configuredEndpoint(config, (key) => ({ 'x-sample-key': key }));
  }

  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    if (this.config.models) return offeredModels(this.config, {}, sampleModel);
    const list = await fetchList(this.transport, this.endpoint, { operation: 'models', query: 'all=1', signal, failed: this.failed });
    const names = isObject(list) && Array.isArray(list['models']) ? list['models'].filter((name) => typeof name === 'string') : [];
    return offeredModels(this.config, Object.fromEntries(names.map((name) => [name, sampleModel])), sampleModel);
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeList(this.transport, this.endpoint, { operation: 'models', query: 'all=0', signal, failed: this.failed });
  }

  async *generate(request: GenerationRequest, call: ProviderCall): AsyncGenerator<GenerationChunk, void> {
    try {
      if (call.signal.aborted) return;
      const response = await this.transport.send(this.request(request, call));
      if (response.status !== 200) throw this.failed(await response.refusal(this.endpoint.secrets));
      if (response.contentType === 'application/json') yield this.whole(JSON.parse(await response.text()));
      else yield* this.stream(response, call);
    } catch (error) {
      if (call.signal.aborted) return;
      throw isProviderError(error) ? error : new ProviderError('bad_response', 'The answer cannot be read', { cause: error });
    }
  }

  protected request(request: GenerationRequest, call: ProviderCall): UpstreamRequest {
    return requestTo(this.endpoint, {
      operation: 'say',
      headers: { ...call.traceHeaders, 'content-type': 'application/json' },
      body: JSON.stringify(this.body(request, call)),
      signal: call.signal,
    });
  }

  protected body(request: GenerationRequest, { upstreamModel }: ProviderCall): JsonObject {
    if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model only chats.');
    const { messages, tools, max_tokens, temperature, top_p, seed, stop, stream } = request;
    return { model: upstreamModel, messages, tools, limit: max_tokens, sampling: { temperature, top_p, seed }, stop, stream };
  }

  /** Names the error of a status. */
  protected readonly failed = (failure: UpstreamFailure): ProviderError => upstreamError(failure);

  protected whole(body: unknown): GenerationChunk {
    if (!isObject(body)) throw this.bad();
    const failure = vendorError(body);
    if (failure) throw inBandError(failure, this.endpoint.secrets);
    const { text, calls, finish, usage } = body;
    if (typeof finish !== 'string') throw this.bad();
    const tool_calls = Array.isArray(calls) ? calls.filter(isObject).map((one, index) => this.toolCall(index, one)) : undefined;
    const delta = { role: 'assistant' as const, ...(typeof text === 'string' && { content: text }), ...(tool_calls && { tool_calls }) };
    return { choices: [{ index: 0, delta, finish_reason: finish as FinishReason }], usage: this.usage(usage) };
  }

  protected async *stream(response: UpstreamResponse, call: ProviderCall): AsyncGenerator<GenerationChunk, void> {
    const state: StreamState = { begun: false, finish: undefined, usage: undefined };
    for await (const event of this.frames(response, call)) {
      if (!isObject(event)) throw this.bad();
      const failure = vendorError(event);
      if (failure) throw inBandError(failure, this.endpoint.secrets);
      const chunk = this.event(event, state);
      if (chunk) yield chunk;
      if (state.finish && state.usage) {
        response.release();
        break;
      }
    }
    yield this.end(state);
  }

  protected async *frames(response: UpstreamResponse, { flow }: ProviderCall): AsyncGenerator<unknown, void> {
    for await (const events of response.events(flow)) for (const { data } of events) if (data) yield JSON.parse(data);
  }

  protected event(event: JsonObject, state: StreamState): GenerationChunk | undefined {
    const { text, call, finish, usage } = event;
    const args = event['arguments'];
    if (typeof finish === 'string') state.finish = finish as FinishReason;
    if (usage !== undefined) state.usage = this.usage(usage);
    if (typeof text === 'string') return this.delta({ content: text }, state);
    if (isObject(call)) return this.delta({ tool_calls: [this.toolCall(Number(call['index']), call)] }, state);
    if (!isObject(args)) return undefined;
    return this.delta({ tool_calls: [{ index: Number(args['index']), function: { arguments: String(args['text']) } }] }, state);
  }

  protected delta(delta: object, state: StreamState): GenerationChunk {
    const role = state.begun ? {} : { role: 'assistant' as const };
    state.begun = true;
    return { choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason: null }] };
  }

  /** The last chunk. */
  protected end({ finish, usage, begun }: StreamState): GenerationChunk {
    if (!finish) throw this.bad();
    return { choices: [{ index: 0, delta: begun ? {} : { role: 'assistant' }, finish_reason: finish }], ...(usage && { usage }) };
  }

  protected toolCall(index: number, { id, name, arguments: text = '' }: JsonObject): ToolCallDelta {
    return { index, id: this.callId(id, index), type: 'function', function: { name: String(name), arguments: String(text) } };
  }

  protected callId(given: unknown, index: number): string {
    return typeof given === 'string' && given !== '' ? given : `call_${index}`;
  }

  protected usage(told: unknown): Usage | undefined {
    return isObject(told) ? usageOf(Number(told['read']), Number(told['written'])) : undefined;
  }

  protected bad(): ProviderError {
    return new ProviderError('bad_response', 'The answer breaks off');
  }
}
