import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import type { RequestContext } from '../http/requests/request-context.js';
import type { AttemptRecord } from '../common/requests/generation-record.js';
import { waitAtMost } from '../common/time/waits.js';
import { OpenRequests } from '../http/server/open-requests.js';
import { ConfigService } from '../config/config.service.js';
import { version } from '../config/version.js';
import { operationOf } from './span-attributes.js';
import { formatTraceparent, parseTraceparent } from './trace-context.js';
import type { TraceExporter } from './trace-exporter.js';

/** How long, in milliseconds, the end of the process waits for the last spans to be sent. */
const SHUTDOWN_MS = 2_000;

/**
 * Traces for OpenTelemetry. The spans of a request are made from its record after its end, so that nothing is done
 * while it runs. Without an address for traces (`observability.otlp_endpoint`, read at the start) nothing is loaded and
 * nothing is done at all.
 */
@Injectable()
export class Traces implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger(Traces.name);
  #exporter: TraceExporter | undefined;

  constructor(
    private readonly config: ConfigService,
    private readonly openRequests: OpenRequests,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const settings = this.config.current.observability;
    if (!settings.otlp_endpoint) return;
    const loaded = await import('./trace-exporter.js');
    const exporter = new loaded.TraceExporter(settings.otlp_endpoint, settings, version(), this.clock, (error) => {
      if (error) this.#logger.warn(`Traces could not be sent: ${error.message}`);
      else this.#logger.log('Traces are sent again');
    });
    this.#exporter = exporter;
    this.openRequests.onEnd((ended) => {
      if (operationOf(ended) && ended.request.principal) exporter.add(ended);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const sent = this.#exporter?.shutdown().catch(() => undefined);
    if (sent) await waitAtMost(this.clock, SHUTDOWN_MS, sent);
  }

  /**
   * Headers that put an attempt's upstream calls into the request's trace; undefined unless the operator passes traces
   * on to providers. Where this gateway exports no traces, the client's own headers are passed on unchanged.
   */
  headersFor({ headers, record }: RequestContext, attempt: AttemptRecord): Readonly<Record<string, string>> | undefined {
    if (!this.config.current.observability.propagate_traces) return undefined;
    const { traceparent, tracestate } = headers;
    const given = parseTraceparent(traceparent);
    const state: Record<string, string> = given && typeof tracestate === 'string' ? { tracestate } : {};
    if (!this.#exporter || !record) return given && { traceparent: traceparent as string, ...state };
    const traceId = given?.traceId ?? (record.traceId ??= randomBytes(16).toString('hex'));
    attempt.spanId ??= randomBytes(8).toString('hex');
    const sampled = given?.sampled ?? this.#exporter.samples(traceId);
    return { traceparent: formatTraceparent({ traceId, spanId: attempt.spanId, sampled }), ...state };
  }
}
