import { randomBytes } from 'node:crypto';
import { type Context, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock } from '../common/time/clock.js';
import type { AttemptRecord } from '../common/requests/generation-record.js';
import type { EndedRequest } from '../http/server/open-requests.js';
import type { Config } from '../config/config.schema.js';
import { attemptAttributes, isFailure, modelOf, operationOf, requestAttributes } from './span-attributes.js';
import { parseTraceparent } from './trace-context.js';

/** How many spans may wait for an exporter that does not answer. What exceeds them is dropped. */
const MAX_WAITING = 4_096;
const EXPORT_TIMEOUT_MS = 10_000;
/** Milliseconds for which spans wait for others. */
const GATHERED_MS = 1_000;

/** Outcomes of attempts that were given up before they began: they become events instead of spans. */
const skipped = new Set(['circuit_open', 'queue_full']);

/**
 * Makes spans of ended requests and sends them. This is the only file that imports the OpenTelemetry SDK; it is loaded
 * when traces are sent somewhere.
 */
export class TraceExporter {
  readonly #ids = new Ids();
  readonly #sampler: TraceIdRatioBasedSampler;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  /**
   * @param onTrouble is called with the error of the first export that fails, and with undefined when one succeeds
   * again
   */
  constructor(
    endpoint: string,
    settings: Config['observability'],
    version: string,
    private readonly clock: Clock,
    onTrouble: (error: Error | undefined) => void,
  ) {
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      headers: { ...settings.otlp_headers },
      timeoutMillis: EXPORT_TIMEOUT_MS,
    });
    this.#sampler = new TraceIdRatioBasedSampler(settings.trace_ratio);
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': settings.service_name, 'service.version': version }),
      sampler: new ParentBasedSampler({ root: this.#sampler }),
      idGenerator: this.#ids,
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: reporting(exporter, onTrouble),
          maxQueueSize: MAX_WAITING,
          scheduledDelayMillis: GATHERED_MS,
          exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('switchyard', version);
  }

  /** Whether a trace that begins at this gateway will be sent. */
  samples(traceId: string): boolean {
    return this.#sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  /** Adds a span for the request, and one inside it for each attempt. All of them have already ended. */
  add(ended: EndedRequest): void {
    const { request, ms } = ended;
    const now = this.clock.now();
    const record = request.requestContext?.record;
    this.#ids.nextTraceId = record?.traceId;
    const name = [operationOf(ended), modelOf(ended)].filter(Boolean).join(' ');
    const parent = parentOf(ended);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: now - ms }, parent);
    this.#ids.nextTraceId = undefined;
    if (span.isRecording()) {
      span.setAttributes(requestAttributes(ended));
      const status = ended.reply.raw.statusCode;
      if (request.answeredError && (status >= 500 || status === 200)) span.setStatus({ code: SpanStatusCode.ERROR });
      const context = trace.setSpan(ROOT_CONTEXT, span);
      const began = now - (this.clock.monotonic() - (record?.startedAt ?? 0));
      for (const attempt of record?.attempts ?? []) {
        if (skipped.has(attempt.outcome)) {
          span.addEvent(
            'switchyard.offer_skipped',
            { 'switchyard.offer': attempt.offer, reason: attempt.outcome },
            began + attempt.startedMs,
          );
        } else this.#addAttempt(ended, attempt, began, context);
      }
    }
    span.end(now);
  }

  #addAttempt(ended: EndedRequest, attempt: AttemptRecord, began: number, context: Context): void {
    const attributes = attemptAttributes(ended, attempt);
    const startTime = began + attempt.startedMs;
    const name = `${String(attributes['gen_ai.operation.name'])} ${String(attributes['gen_ai.request.model'])}`;
    this.#ids.nextSpanId = attempt.spanId;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, context);
    if (isFailure(attempt.outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(startTime + (attempt.queueMs ?? 0) + (attempt.totalMs ?? 0));
  }

  /** Sends the spans that wait, and ends. */
  async shutdown(): Promise<void> {
    await this.#provider.shutdown();
  }
}

function parentOf({ request: { headers } }: EndedRequest): Context {
  const given = parseTraceparent(headers['traceparent']);
  if (!given) return ROOT_CONTEXT;
  const { tracestate } = headers;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: given.traceId,
    spanId: given.spanId,
    traceFlags: given.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    traceState: typeof tracestate === 'string' ? createTraceState(tracestate) : undefined,
    isRemote: true,
  });
}

/** Generates random ids, except where a provider has already been told an id. */
class Ids implements IdGenerator {
  nextTraceId: string | undefined;
  nextSpanId: string | undefined;

  generateTraceId(): string {
    return this.nextTraceId ?? randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    const id = this.nextSpanId ?? randomBytes(8).toString('hex');
    this.nextSpanId = undefined;
    return id;
  }
}

function reporting(exporter: SpanExporter, onTrouble: (error: Error | undefined) => void): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed !== failing) onTrouble(result.error);
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
