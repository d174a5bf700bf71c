import { ByteClaim } from '../../common/limits/byte-budget.js';
import { systemClock, type Timer } from '../../common/time/clock.js';
import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import type { ByteText } from '../../wire/byte-text.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ProviderCall } from '../contract/model-provider.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import type { ChunkObserver, ChunkSubscription } from '../contract/pushed-chunks.js';
import { ERROR_BODY_TIME, MAX_BODY_BYTES, MAX_ERROR_BYTES } from '../transport/body-limits.js';
import { type EventSink, EventStreamParser } from '../transport/event-stream-parser.js';
import type { UpstreamHead, UpstreamReceiver } from '../transport/upstream-receiver.js';
import type { UpstreamExchange } from '../transport/upstream-exchange.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { retryAfterMs } from '../transport/retry-after.js';
import type { UpstreamRequest } from '../transport/upstream-request.js';
import { contentTypeOf } from '../transport/upstream-response.js';
import type { ResponseDecoder } from './response-decoder.js';
import { parsedJson, requireParsable } from '../translation/parsed-json.js';
import type { FrameParser, StreamFraming } from './stream-framing.js';
import { TextJoiner } from './text-joiner.js';

/** Bytes that the chunks of an answer must have on average, after the first of them. */
const LEAST_READ = 8;
const FREE_READS = 10_000;

/** Milliseconds of silence after which a settled stream has ended although its connection stays open. */
const SETTLED_AFTER = 1_000;
const TINY = `The answer comes in chunks of less than ${LEAST_READ} bytes on average.`;

interface ResponseContext {
  readonly call: Pick<ProviderCall, 'flow' | 'account'>;
  /** Whether a stream was asked for. */
  readonly streamed: boolean;
  readonly secrets: readonly string[];
  /** Absent: server-sent events. */
  readonly framing?: StreamFraming;
}

const serverSentEvents: StreamFraming = { contentType: 'text/event-stream', parser: () => new EventStreamParser() };

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
  #clock = systemClock;
  #exchange: UpstreamExchange | undefined;
  #stopListening: (() => void) | undefined;
  #held = false;
  #ended = false;
  #kind: Kind = 'whole';
  #head: UpstreamHead | undefined;
  #parser: FrameParser | undefined;
  #texts: TextJoiner | undefined;
  #body = new GatheredBytes();
  /** Reads of the body, and their bytes. */
  #reads = 0;
  #bytes = 0;
  #excerptTimer: Timer | undefined;
  #settling: Timer | undefined;
  #claim: ByteClaim | undefined;

  constructor(context: ResponseContext, decoder: ResponseDecoder, observer: ChunkObserver) {
    this.#context = context;
    this.#decoder = decoder;
    this.#observer = observer;
  }

  send(transport: HttpTransport, request: UpstreamRequest): void {
    this.#clock = transport.clock;
    this.#claim = new ByteClaim(transport.waiting, this.#context.call.account);
    this.#exchange = transport.open(request, this);
  }

  get unsent(): boolean {
    return this.#exchange?.sent === false;
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
      this.#excerptTimer = this.#clock.setTimeout(() => this.#refused(), ERROR_BODY_TIME);
      return;
    }
    // The content type decides, and not what was asked for: some vendors never stream, others always do.
    const type = contentTypeOf(headers);
    const { streamed, framing = serverSentEvents } = this.#context;
    if (type !== framing.contentType && (!streamed || isJsonType(type))) return;
    this.#kind = 'events';
    this.#parser = framing.parser();
    this.#texts = new TextJoiner(this.#observer);
    // A response that is not streamed is delivered when it is complete, so that no client can be behind with it.
    const { flow } = this.#context.call;
    this.#stopListening = flow.onChange(() => this.#pause());
    if (flow.paused) this.#pause();
  }

  bytes(bytes: Buffer): void {
    if (this.#ended) return;
    this.#bytes += bytes.length;
    if (++this.#reads > FREE_READS && this.#bytes < this.#reads * LEAST_READ) return this.#fail(new ProviderError('limit_exceeded', TINY));
    if (this.#parser) {
      try {
        this.#parser.feed(bytes, this);
        this.#texts!.flush();
        // What is not streamed to the client waits for its end, event by event.
        if (!this.#ended && !this.#claim!.resize(this.#context.streamed ? this.#parser.waiting : this.#bytes)) this.#fail(noRoom());
      } catch (error) {
        this.#fail(error);
      }
      return;
    }
    this.#body.add(bytes);
    if (!this.#claim!.resize(this.#bytes)) return this.#fail(noRoom());
    if (this.#kind === 'refusal' && this.#bytes > MAX_ERROR_BYTES) this.#refused();
    else if (this.#bytes > MAX_BODY_BYTES)
      this.#fail(new ProviderError('limit_exceeded', `The answer has more than ${MAX_BODY_BYTES} bytes.`));
  }

  event(name: string, data: string): void {
    if (this.#ended || data === '') return;
    const chunk = this.#decoder.event(name, data);
    if (chunk) this.#texts!.next(chunk);
    if (this.#settling) this.#clock.clear(this.#settling);
    if (this.#decoder.ended) return this.#released();
    if (this.#decoder.settled) this.#settling = this.#clock.setTimeout(() => this.#settled(), SETTLED_AFTER);
  }

  #released(): void {
    this.#exchange!.release();
    this.#complete();
  }

  /** What a paused connection brings is not known. */
  #settled(): void {
    if (this.#held || this.#context.call.flow.paused) {
      this.#settling = this.#clock.setTimeout(() => this.#settled(), SETTLED_AFTER);
      return;
    }
    try {
      this.#released();
    } catch (error) {
      this.#fail(error);
    }
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
    const chunk = this.#decoder.whole(this.#json(), this.#head!.headers);
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
    this.#fail(
      this.#decoder.refused({
        status,
        retryAfterMs: retryAfterMs(headers, this.#clock.now()),
        headers,
        body,
        secrets: this.#context.secrets,
      }),
    );
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
    this.#clock.clear(this.#excerptTimer);
    this.#clock.clear(this.#settling);
    this.#stopListening?.();
    this.#claim?.release();
  }

  #text(): string {
    const buffers = this.#body.end();
    return (buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers)).toString();
  }

  /** A body that is a list is read as the `list` of an object. */
  #json(): JsonObject {
    const text = this.#text();
    requireParsable(text);
    const body = parsedJson(text);
    if (Array.isArray(body)) return { list: body as unknown[] };
    // Without the cause, whose message would quote the response.
    if (!isObject(body)) throw this.#bad('The provider’s answer is not JSON');
    return body;
  }

  #bad(message: string): ProviderError {
    return new ProviderError('bad_response', message, { status: this.#head!.status });
  }
}

function noRoom(): ProviderError {
  return new ProviderError(
    'limit_exceeded',
    'The answers under way, or those of this account, have too many bytes together (server.answer_budget). Please retry.',
  );
}

function isJsonType(contentType: string): boolean {
  return contentType === 'application/json' || /^application\/(.+\+)?json$/.test(contentType);
}
