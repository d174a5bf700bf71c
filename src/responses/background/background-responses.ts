import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ApiKeyService } from '../../auth/api-key.service.js';
import { ApiError } from '../../common/api-error.js';
import { AnswerBudget, BodyBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { Clock, type Timer } from '../../common/time/clock.js';
import { messageOf } from '../../common/message-of.js';
import { Shutdown } from '../../common/shutdown.js';
import { ConfigService } from '../../config/config.service.js';
import { askedBy } from '../../database/askers-queue.js';
import { Database } from '../../database/database.js';
import { RequestContext } from '../../http/requests/request-context.js';
import { CarriedTexts } from '../../inference/carried/carried-facts.js';
import { type GenerationCall, InferenceService } from '../../inference/inference.service.js';
import { Metrics } from '../../observability/metrics.js';
import type { ResponseObject } from '../../wire/response.js';
import type { CreateResponseDto } from '../create-response.dto.js';
import { prepareResponse } from '../prepared-response.js';
import { reachable } from '../store/reachable-store.js';
import { ResponseKeeping, writtenOf } from '../store/response-keeping.js';
import { OutOfSpace } from '../../response-store/response-space.js';
import { ResponseStore } from '../../response-store/response-store.js';
import { RunningResponses } from '../../response-store/running-responses.js';
import type { KeptRequest } from '../../response-store/stored-response.js';
import { MAX_BACKGROUND, MAX_PROCESS_BACKGROUND } from '../store/store-limits.js';
import { OutputClaim } from '../output/output-claim.js';
import { BackgroundRun } from './background-run.js';

/** Attempts at storing the end of a response, and milliseconds before the second; each later pause is twice as long. */
const MAX_WRITES = 6;
const RETRY_MS = 500;

/** Generates responses whose requests are answered at once. Each has a lease in the store while its process lives. */
@Injectable()
export class BackgroundResponses implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  readonly #logger = new Logger(BackgroundResponses.name);
  readonly #node = randomUUIDv7();
  readonly #runs = new Map<string, BackgroundRun>();
  /** Until the ends of all of them are stored. */
  readonly #ends = new Set<Promise<void>>();
  #renewal: Timer | undefined;
  #drainedFrom = 0;

  constructor(
    private readonly config: ConfigService,
    private readonly database: Database,
    private readonly store: ResponseStore,
    private readonly running: RunningResponses,
    private readonly keeping: ResponseKeeping,
    private readonly inference: InferenceService,
    private readonly apiKeys: ApiKeyService,
    private readonly shutdown: Shutdown,
    private readonly bodies: BodyBudget,
    private readonly answers: AnswerBudget,
    private readonly clock: Clock,
    private readonly carried: CarriedTexts,
    metrics: Metrics,
  ) {
    metrics.gauge('background_responses', 'Responses that are generated in the background', () => this.#runs.size);
  }

  async onModuleInit(): Promise<void> {
    this.apiKeys.ended.subscribe((errors) => {
      for (const run of this.#runs.values()) {
        const error = errors.get(run.keyId);
        if (error) run.stop(error);
      }
    });
    await this.database.follow('stored_response', () => this.#renew());
  }

  /**
   * Begins to generate a response.
   * @returns the response as it is queued
   * @throws ApiError what a request in the foreground is refused with, 429 rate_limit_exceeded where as many run as may,
   * 503 service_unavailable
   */
  async begin(body: CreateResponseDto, kept: KeptRequest, { principal, context, operation }: GenerationCall): Promise<ResponseObject> {
    if (this.shutdown.draining || this.#runs.size >= MAX_PROCESS_BACKGROUND)
      throw new ApiError('service_unavailable', 'No more responses can be generated in the background now. Please retry.', {
        retryAfter: 1,
      });
    // The bytes of the body are given back when the request is answered.
    const copy = JSON.stringify(body);
    // What it refuses must not have claimed anything: nothing would give that back.
    const prepared = prepareResponse(JSON.parse(copy) as CreateResponseDto, kept.id, this.carried);
    const claims = { body: new ByteClaim(this.bodies, principal.accountId), output: new ByteClaim(this.answers, principal.accountId) };
    if (!claims.body.resize(Buffer.byteLength(copy) + kept.input.length))
      throw new ApiError('service_unavailable', 'The requests under way have too many bytes together. Please retry.', { retryAfter: 1 });
    const begun: ResponseObject = { ...prepared.begun, background: true, store: true };
    const own = new RequestContext(kept.id, context.headers, undefined, context.account, this.clock);
    own.leftOut = prepared.leftOut;
    const run = new BackgroundRun(
      { ...prepared, begun },
      { principal, context: own, operation },
      new OutputClaim(claims.output),
      () => void this.#progress(kept.id),
    );
    const queued = { ...begun, status: 'queued' } as const;
    try {
      await this.#queue(kept, queued);
      this.#add(kept.id, run);
      await run.begin(this.inference);
    } catch (error) {
      this.#delete(kept.id, run);
      own.work.unsubscribe();
      release(claims);
      await this.store.delete(kept.owner, kept.id).catch(() => undefined);
      throw error;
    }
    const end = run.end.then((response) => this.#end(kept, run, response)).finally(() => release(claims));
    this.#ends.add(end);
    void end.then(() => this.#ends.delete(end));
    context.record = own.record;
    context.rateLimits = own.rateLimits;
    if (own.record) own.record.background = run.end.then(() => undefined);
    return queued;
  }

  onModuleDestroy(): void {
    this.#drainedFrom = this.clock.monotonic();
  }

  /** Lets what runs end, for as long as open requests may; what has not ended by then fails, and costs nothing. */
  async beforeApplicationShutdown(): Promise<void> {
    const { replaced, hurried } = this.shutdown;
    const all = Promise.all(this.#ends);
    if (replaced && !hurried.aborted) await Promise.race([all, once(hurried, 'abort')]);
    const limit = this.config.current.server.drain_timeout - (replaced ? 0 : this.clock.monotonic() - this.#drainedFrom);
    if (this.#ends.size > 0) await Promise.race([all, this.clock.delay(Math.max(0, limit), { ref: false })]);
    if (this.#runs.size > 0) this.shutdown.reachDeadline();
    await Promise.all(this.#ends);
    this.clock.clear(this.#renewal);
  }

  async #queue(kept: KeptRequest, response: ResponseObject): Promise<void> {
    const written = writtenOf(response);
    if (!written) throw new ApiError('request_too_large', 'The instructions and tools have too many bytes to be stored.');
    const running = { node: this.#node, ttl: this.config.current.store.lease_ttl, places: MAX_BACKGROUND, space: this.keeping.space };
    await reachable(askedBy(kept.owner.accountId, () => this.running.begin(kept, written, running)).catch(noPlace));
  }

  #add(id: string, run: BackgroundRun): void {
    this.#runs.set(id, run);
    this.shutdown.open.add(run);
    this.#renewal ??= this.clock.setInterval(() => this.#renewOrWarn(), this.config.current.store.lease_ttl / 3).unref();
  }

  #delete(id: string, run: BackgroundRun): void {
    this.#runs.delete(id);
    this.shutdown.open.delete(run);
    if (this.#runs.size > 0) return;
    this.clock.clear(this.#renewal);
    this.#renewal = undefined;
  }

  /** Renews the leases, and ends what was cancelled or deleted by whichever gateway, or given up. */
  async #renew(): Promise<void> {
    const ids = [...this.#runs.keys()];
    if (ids.length === 0) return;
    const running = await this.running.renew(this.#node, ids, this.config.current.store.lease_ttl);
    for (const id of ids) if (!running.has(id)) this.#runs.get(id)?.stop();
  }

  #renewOrWarn(): void {
    this.#renew().catch((error: unknown) => this.#logger.warn(`Responses in the background were not renewed: ${messageOf(error)}`));
  }

  async #progress(id: string): Promise<void> {
    await this.running
      .progress(id, this.#node)
      .catch((error: unknown) => this.#logger.warn(`The progress of response ${id} was not stored: ${messageOf(error)}`));
  }

  /** Never rejects: a response whose end cannot be stored is given up when its lease ends. */
  async #end(kept: KeptRequest, run: BackgroundRun, response: ResponseObject): Promise<void> {
    const unstored = writtenOf(withoutOutput(response))!;
    const written = writtenOf(response) ?? unstored;
    for (let writes = 1; writes <= MAX_WRITES; writes++) {
      try {
        const request = failedUnheard(response) ? { ...kept, input: '[]' } : kept;
        await askedBy(kept.owner.accountId, () => this.running.end(request, this.#node, written, unstored, this.keeping.space));
        break;
      } catch (error) {
        this.#logger.warn(`The end of response ${kept.id} was not stored: ${messageOf(error)}`);
        if (writes < MAX_WRITES && !this.shutdown.signal.aborted) await this.clock.delay(RETRY_MS * 2 ** writes, { ref: false });
      }
    }
    this.#delete(kept.id, run);
  }
}

/** @throws ApiError 429 rate_limit_exceeded, or what it is given */
function noPlace(error: unknown): never {
  if (!(error instanceof OutOfSpace)) throw error;
  const message = `As many responses of this account are generated in the background as may be, ${MAX_BACKGROUND}, or as it has space for. Please retry when some have ended.`;
  throw new ApiError('rate_limit_exceeded', message, { retryAfter: 1 });
}

/** What was refused before anything was generated has cost nothing: its input takes no space. */
function failedUnheard({ status, output }: ResponseObject): boolean {
  return status === 'failed' && output.length === 0;
}

function release(claims: Readonly<Record<string, ByteClaim>>): void {
  for (const claim of Object.values(claims)) claim.release();
}

function withoutOutput(response: ResponseObject): ResponseObject {
  const message = 'The response is too large to be stored, or there is no room for it.';
  return { ...response, status: 'failed', error: { code: 'server_error', message }, output: [] };
}
