import type { ByteText } from '../../wire/byte-text.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ProviderCall } from '../model-provider.js';
import { isProviderError, ProviderError } from '../provider-error.js';
import type { ChunkObserver, ChunkSubscription } from '../pushed-chunks.js';
import { ERROR_BODY_TIME, MAX_BODY_BYTES } from '../transport/body-limits.js';
import { type EventSink, EventStreamParser } from '../transport/event-stream-parser.js';
import type { UpstreamHead, UpstreamReceiver } from '../transport/upstream-receiver.js';
import type { UpstreamExchange } from '../transport/upstream-exchange.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { retryAfterMs } from '../transport/retry-after.js';
import type { UpstreamRequest } from '../transport/upstream-request.js';
import { contentTypeOf } from '../transport/upstream-response.js';
import type { ResponseDecoder } from './response-decoder.js';
import { parsedJson } from './parsed-json.js';
import { TextJoiner } from './text-joiner.js';
import { MAX_ERROR_BYTES } from './upstream-error.js';

interface ResponseContext {
  readonly call: Pick<ProviderCall, 'flow'>;
  /** Whether a stream was asked for. */
  readonly streamed: boolean;
  readonly secrets: readonly string[];
}

/** The kind of a response's body, which its head tells. */
type Kind = 'refusal' | 'whole' | 'events';

/**
 * Reads one response: from the reads of its connection to the chunks that its decoder makes of them, without a promise
 * between them.
 */
export class ResponseReader implements UpstreamReceiver, EventSink, ChunkSubscription {
  readonly full = false;
  readonly #context: ResponseContext;
  readonly #decoder: ResponseDecoder;
  readonly #observer: ChunkObserver;
  #exchange: UpstreamExchange | undefined;
  #stopListening: (() => void) | undefined;
  #held = false;
  #ended = false;
  #kind: Kind = 'whole';
  #head: UpstreamHead | undefined;
  #parser: EventStreamParser | undefined;
  #texts: TextJoiner | undefined;
  #body: Buffer[] = [];
  #bytes = 0;
  #excerptTimer: NodeJS.Timeout | undefined;

  constructor(context: ResponseContext, decoder: ResponseDecoder, observer: ChunkObserver) {
    this.#context = context;
    this.#decoder = decoder;
    this.#observer = observer;
  }

  send(transport: HttpTransport, request: UpstreamRequest): void {
    this.#exchange = transport.open(request, this);
  }

  hold(held: boolean): void {
    this.#held = held;
    this.#pause();
  }

  cancel(): void {
    if (this.#ended) return;
    this.#end();
    this.#exchange?.abandon();
  }

  head(head: UpstreamHead): void {
    const { status, headers } = head;
    this.#head = head;
    if (status < 200 || status > 299) {
      this.#kind = 'refusal';
      this.#excerptTimer = setTimeout(() => this.#refused(), ERROR_BODY_TIME);
      return;
    }
    // The content type decides, and not what was asked for: some vendors never stream, others always do.
    const type = contentTypeOf(headers);
    if (type !== 'text/event-stream' && (!this.#context.streamed || isJsonType(type))) return;
    this.#kind = 'events';
    this.#parser = new EventStreamParser();
    this.#texts = new TextJoiner(this.#observer);
    // A response that is not streamed is delivered when it is complete, so that no client can be behind with it.
    const { flow } = this.#context.call;
    this.#stopListening = flow.onChange(() => this.#pause());
    if (flow.paused) this.#pause();
  }

  bytes(bytes: Buffer): void {
    if (this.#ended) return;
    if (this.#parser) {
      try {
        this.#parser.feed(bytes, this);
        this.#texts!.flush();
      } catch (error) {
        this.#fail(error);
      }
      return;
    }
    this.#body.push(bytes);
    this.#bytes += bytes.length;
    if (this.#kind === 'refusal' && this.#bytes > MAX_ERROR_BYTES) this.#refused();
    else if (this.#bytes > MAX_BODY_BYTES) this.#fail(this.#bad(`The provider's answer exceeds ${MAX_BODY_BYTES} bytes`));
  }

  event(name: string, data: string): void {
    if (this.#ended || data === '') return;
    const chunk = this.#decoder.event(name, data);
    if (chunk) this.#texts!.next(chunk);
    if (!this.#decoder.ended) return;
    this.#exchange!.release();
    this.#complete();
  }

  run(bytes: ByteText, position: number): number {
    return this.#ended ? bytes.length : this.#decoder.run(bytes, position, this.#texts!);
  }

  end(): void {
    if (this.#ended) return;
    try {
      if (this.#kind === 'refusal') return this.#refused();
      if (this.#kind === 'whole') return this.#whole();
      this.#parser!.finish(this);
      if (!this.#ended) this.#complete();
    } catch (error) {
      this.#fail(error);
    }
  }

  fail(error: ProviderError): void {
    if (this.#kind === 'refusal') this.#refused();
    else this.#fail(error);
  }

  discard(): void {}

  #pause(): void {
    this.#exchange!.hold(this.#held || this.#context.call.flow.paused);
  }

  #whole(): void {
    const chunk = this.#decoder.whole(this.#json());
    this.#end();
    this.#observer.next(chunk);
    this.#observer.complete();
  }

  #complete(): void {
    this.#texts!.flush();
    const chunks = this.#decoder.end();
    this.#end();
    for (const chunk of chunks) this.#observer.next(chunk);
    this.#observer.complete();
  }

  /** The status says that it is an error. The body explains it, as far as it has come. */
  #refused(): void {
    const { status, headers } = this.#head!;
    const body = this.#text().slice(0, MAX_ERROR_BYTES);
    this.#fail(this.#decoder.refused({ status, retryAfterMs: retryAfterMs(headers), body, secrets: this.#context.secrets }));
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.#texts?.flush();
    this.#end();
    this.#exchange?.abandon();
    this.#observer.error(
      isProviderError(error) ? error : new ProviderError('bad_response', 'The provider’s answer cannot be read', { cause: error }),
    );
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#excerptTimer);
    this.#stopListening?.();
  }

  #text(): string {
    return (this.#body.length === 1 ? this.#body[0]! : Buffer.concat(this.#body, this.#bytes)).toString();
  }

  #json(): JsonObject {
    const body = parsedJson(this.#text());
    // Without the cause, whose message would quote the response.
    if (!isObject(body)) throw this.#bad('The provider’s answer is not JSON');
    return body;
  }

  #bad(message: string): ProviderError {
    return new ProviderError('bad_response', message, { status: this.#head!.status });
  }
}

function isJsonType(contentType: string): boolean {
  return contentType === 'application/json' || /^application\/(.+\+)?json$/.test(contentType);
}
