import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { GenerationRecord } from '../common/requests/generation-record.js';
import { type EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import { OpenStreams } from '../http/answers/open-streams.js';
import type { MetricsPage } from './metrics-page.js';
import { Distribution, Readings, Sums } from './series.js';

/** The values of a metric's label, up to a maximum number. Later values count as `other`. */
class BoundedLabel {
  readonly #values = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size >= this.most) return 'other';
    this.#values.add(value);
    return value;
  }
}

const MAX_MODELS = 500;
const MAX_OFFERS = 1_000;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
export const FINE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];

/** All metrics of the gateway. Their labels are bounded: ids from the catalogue, never text from a client. */
@Injectable()
export class Metrics implements MetricsPage {
  readonly registry = new Registry();

  readonly #requests = this.counter('requests_total', 'Requests by operation, model and HTTP status', [
    'operation',
    'model',
    'status',
    'environment',
  ]);
  readonly #administration = this.counter('admin_requests_total', 'Requests to the administration API by HTTP status', ['status']);
  readonly #duration = this.histogram('request_duration_seconds', 'From the head of a request to the last byte of its answer', [
    'operation',
    'streamed',
  ]);
  readonly #firstToken = this.histogram('first_token_seconds', 'From the upstream call to its first piece', ['operation', 'provider']);
  readonly #overhead = this.histogram(
    'overhead_seconds',
    'What the gateway added to an answer that was not streamed',
    ['operation'],
    FINE_SECONDS,
  );
  readonly #attempts = this.counter('attempts_total', 'Attempts at offers by how they ended', ['offer', 'outcome']);
  readonly #tokens = this.counter('tokens_total', 'Tokens of settled requests', ['model', 'kind', 'environment']);
  readonly #credits = this.counter('credits_charged_total', 'Credits charged', ['model', 'environment']);
  readonly #models = new BoundedLabel(MAX_MODELS);
  readonly #offers = new BoundedLabel(MAX_OFFERS);

  constructor(openRequests: OpenRequests, openStreams: OpenStreams) {
    collectDefaultMetrics({ register: this.registry, prefix: 'switchyard_' });
    this.gauge('open_requests', 'Requests that are being answered', () => openRequests.size);
    this.gauge('open_streams', 'Event streams that are being written', () => openStreams.size);
    openRequests.onEnd((ended) => this.#observe(ended));
  }

  /**
   * Registers a gauge that is read when the metrics are.
   * @param together what those of several worker processes come to: their sum, or, where each knows it of the whole
   * store, the highest
   */
  gauge(name: string, help: string, read: () => number, together: 'sum' | 'max' = 'sum'): void {
    this.#register(new Readings('gauge', `switchyard_${name}`, help, [], () => [['', read()]], together));
  }

  /** Registers a counter with one label whose sums are kept elsewhere and read when the metrics are. */
  counters(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void {
    this.#register(new Readings('counter', `switchyard_${name}`, help, [label], read));
  }

  /** Registers a gauge with one label that is read when the metrics are. Only the first thousand values are shown. */
  gauges(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void {
    this.#register(new Readings('gauge', `switchyard_${name}`, help, [label], read));
  }

  /** Registers a counter with labels. */
  counter(name: string, help: string, labelNames: string[]): Sums {
    return this.#register(new Sums(`switchyard_${name}`, help, labelNames));
  }

  /** Registers a histogram of times in seconds, with labels. */
  histogram(name: string, help: string, labelNames: string[], bounds = SECONDS): Distribution {
    return this.#register(new Distribution(`switchyard_${name}`, help, labelNames, bounds));
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  #observe({ request, reply, ms }: EndedRequest): void {
    const record = request.requestContext?.record;
    if (request.administration) return this.#administration.add(1, reply.raw.statusCode);
    // Without a key an address that there is not is refused, and counted, as any other.
    const refused = !request.principal && reply.raw.statusCode === 401;
    if (!record && !refused && !request.routeOptions.url?.startsWith('/v1/')) return;
    const operation = record?.operation ?? 'other';
    const environment = request.principal?.environment ?? 'none';
    this.#requests.add(
      1,
      operation,
      record ? this.#models.of(record.countedAs ?? record.model) : 'none',
      reply.raw.statusCode,
      environment,
    );
    this.#duration.observe(ms / 1000, operation, String(record?.streamed ?? false));
    if (record?.background) void record.background.then(() => this.#observeGeneration(record, environment, ms));
    else if (record) this.#observeGeneration(record, environment, ms);
  }

  #observeGeneration(
    { operation, model, countedAs = model, streamed, attempts, provider, usage, charged }: GenerationRecord,
    environment: string,
    ms: number,
  ): void {
    const label = this.#models.of(countedAs);
    for (const { offer, outcome, firstTokenMs, totalMs } of attempts) {
      this.#attempts.add(1, this.#offers.of(offer), outcome);
      if (outcome !== 'served') continue;
      if (firstTokenMs !== undefined && provider) this.#firstToken.observe(firstTokenMs / 1000, operation, provider);
      if (!streamed && totalMs !== undefined) this.#overhead.observe(Math.max(0, ms - totalMs) / 1000, operation);
    }
    if (!usage || charged === undefined) return;
    this.#tokens.add(usage.prompt_tokens, label, 'prompt', environment);
    this.#tokens.add(usage.completion_tokens, label, 'completion', environment);
    if (charged > 0n) this.#credits.add(Number(charged) / 1e9, label, environment);
  }

  #register<S extends Sums | Distribution | Readings>(series: S): S {
    // The registry reads a metric's name and values, and uses nothing else of prom-client's class.
    this.registry.registerMetric(series as unknown as Metric);
    return series;
  }
}
