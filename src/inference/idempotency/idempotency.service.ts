import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { catchError, defer, Observable, type Subscriber, tap } from 'rxjs';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { seal, unseal } from '../../auth/sealed-text.js';
import { type Claim, IdempotencyStore, type KeyedRequest } from '../../billing/idempotency-store.js';
import { chargeable, type Outcome } from '../../billing/hold/ledger.js';
import { AnswerBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { Clock, type Timer } from '../../common/time/clock.js';
import { GenerationRecord } from '../../common/requests/generation-record.js';
import { ConfigService } from '../../config/config.service.js';
import { askedBy } from '../../database/askers-queue.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { sourceBytesOfMembers } from '../../json/json-source.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import type { GenerationCall } from '../inference.service.js';
import { conflict, unknownKey } from './idempotency-errors.js';
import { canonicalJson, canonicalPieces, idempotencyKeyOf } from './idempotency-key.js';

/** Bytes of a body from which on its digest is made in steps. */
const IN_STEPS = 1_048_576;

/** Bytes up to which a response is kept. */
const MAX_RESPONSE = 1_048_576;

/** Of a response on its way to the store, which may take its time: here and in the thread or connection that writes it. */
const COPIES = 2;

const SWEEP_MS = 600_000;

/** Milliseconds for which a request waits for the look-up of its key. */
const CLAIM_TIMEOUT = 5_000;

/** A request with an idempotency key. */
interface Keyed extends KeyedRequest {
  /** Encrypts the response. It cannot be derived without the client's key, which is not stored. */
  readonly secret: Buffer;
}

/** What is kept of a response: who generated it, which parameters were dropped, and its body. */
interface KeptResponse extends Pick<GenerationRecord, 'provider' | 'upstreamModel'> {
  readonly dropped: readonly string[];
  readonly body: object;
}

/**
 * Requests with the header Idempotency-Key: one key is charged for one response, and a repeat gets that response or
 * 409.
 */
@Injectable()
export class IdempotencyService implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger(IdempotencyService.name);
  /** By the digest of the key: writes to the store about requests that have ended in this process. */
  readonly #writes = new Map<string, Promise<unknown>>();
  #sweeper: Timer | undefined;

  constructor(
    private readonly store: IdempotencyStore,
    private readonly secrets: DerivedSecrets,
    private readonly config: ConfigService,
    private readonly answers: AnswerBudget,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.store.recover();
    this.#sweeper = this.clock.setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.clock.clear(this.#sweeper);
    await Promise.all(this.#writes.values());
  }

  /**
   * The response, or the kept response where the client has sent its key before. Errors of its own are ApiError
   * 409 idempotency_conflict, and 503 service_unavailable where the store cannot tell whether the key was sent before.
   * @param respond is called only where no response is kept
   * @throws ApiError 400 invalid_request for a malformed key
   */
  once<T extends object>(
    operation: GenerationRecord['operation'],
    call: GenerationCall,
    respond: () => Observable<StreamEvent | T> | Promise<T>,
  ): Observable<StreamEvent | T> | Promise<T> {
    const header = call.context.headers['idempotency-key'];
    if (header === undefined) return respond();
    const key = idempotencyKeyOf(header);
    return new Observable((subscriber) => {
      const timer = this.clock.setTimeout(() => subscriber.error(unknownKey()), CLAIM_TIMEOUT);
      const begin = (keyed: Keyed, claim: Claim): void => {
        if (claim.kind === 'claimed') {
          // The client has left in the meantime.
          if (subscriber.closed) return void this.#giveBack(keyed);
          this.clock.clear(timer);
          subscriber.add(this.#first(keyed, call.context, defer(respond)).subscribe(subscriber));
        } else if (!subscriber.closed) this.#repeat(claim, keyed, call.context, subscriber);
      };
      this.#keyed(key, operation, call)
        .then(async (keyed) => begin(keyed, await this.#claim(keyed)))
        .catch((error: unknown) => subscriber.error(error));
      return () => this.clock.clear(timer);
    });
  }

  async #keyed(key: string, operation: GenerationRecord['operation'], { principal, context }: GenerationCall): Promise<Keyed> {
    const { requestId, body } = context;
    const { model } = body as { model: string };
    const fingerprint = await this.#fingerprint(operation, body as object);
    const secret = (purpose: string, ...texts: string[]) => this.secrets.derive(`idempotency ${purpose}`, ...texts);
    return {
      requestId,
      principal,
      operation,
      model,
      digest: secret('key', principal.keyId, key).toString('hex'),
      fingerprint: fingerprint.toString('hex'),
      secret: secret('answer', principal.keyId, key),
    };
  }

  #fingerprint(operation: GenerationRecord['operation'], body: object): Buffer | Promise<Buffer> {
    const purpose = 'idempotency body';
    return sourceBytesOfMembers(body) < IN_STEPS
      ? this.secrets.derive(purpose, operation, canonicalJson(body))
      : this.secrets.deriveInSteps(purpose, operation, canonicalPieces(body));
  }

  async #claim(keyed: Keyed): Promise<Claim> {
    await this.#writes.get(keyed.digest);
    try {
      const { routing, store } = this.config.current;
      // A gateway that lives tells the store of a request's end before its leases run out.
      return await askedBy(keyed.principal.accountId, () => this.store.claim(keyed, routing.total_timeout + store.lease_ttl));
    } catch (cause) {
      throw unknownKey(cause);
    }
  }

  #first<T extends object>(keyed: Keyed, context: RequestContext, response: Observable<StreamEvent | T>): Observable<StreamEvent | T> {
    return response.pipe(
      tap({
        next: (value) => {
          if (typeof value !== 'string' && !(value instanceof EventRun)) void this.#keep(keyed, context.record!, value);
        },
        unsubscribe: () => void this.#giveBack(keyed, context.record),
      }),
      catchError(async (error: unknown) => {
        await this.#giveBack(keyed, context.record);
        throw error;
      }),
    );
  }

  #repeat(
    claim: Exclude<Claim, { kind: 'claimed' }>,
    { digest, secret, operation, model }: Keyed,
    context: RequestContext,
    subscriber: Subscriber<object>,
  ): void {
    if (claim.kind !== 'answered') return subscriber.error(conflict(claim.kind));
    const { provider, upstreamModel, dropped, body } = JSON.parse(unseal(claim.answer, secret, digest)) as KeptResponse;
    const record = new GenerationRecord(operation, model, false);
    for (const parameter of dropped) record.dropped.add(parameter);
    context.record = Object.assign(record, { provider, upstreamModel, outcome: 'replayed', charged: 0n });
    subscriber.next(body);
    subscriber.complete();
  }

  /** The client does not wait for this: one that has received the response does not need to repeat the request. */
  async #keep(keyed: Keyed, { provider, upstreamModel, dropped }: GenerationRecord, body: object): Promise<void> {
    const { keep_answers, max_answers_bytes, max_answers_total } = this.config.current.store;
    if (!keep_answers) return;
    const text = JSON.stringify({ provider, upstreamModel, dropped: [...dropped], body } satisfies KeptResponse);
    const bytes = Buffer.byteLength(text);
    const claim = new ByteClaim(this.answers, keyed.principal.accountId);
    if (bytes > MAX_RESPONSE || !claim.resize(COPIES * bytes)) return;
    const space = { bytes: max_answers_bytes, total: max_answers_total };
    await this.#write(keyed, () => this.store.keep(keyed, seal(text, keyed.secret, keyed.digest), space));
    claim.release();
  }

  /** Frees the key for another try, unless the request was or could have been charged. */
  async #giveBack(keyed: Keyed, record?: GenerationRecord): Promise<void> {
    const { outcome, usage } = record ?? {};
    if (outcome === 'completed' || (outcome && chargeable(outcome as Outcome) && usage?.total_tokens)) return;
    await this.#write(keyed, () => this.store.giveBack(keyed));
  }

  /** Never rejects: where the write fails, the usage row still says how the request ended. */
  async #write({ digest, principal }: Keyed, write: () => Promise<unknown>): Promise<void> {
    const written = askedBy(principal.accountId, write).catch((error: Error) =>
      this.#logger.warn(`The end of a request under a client's key was not stored: ${error.message}`),
    );
    this.#writes.set(digest, written);
    await written;
    if (this.#writes.get(digest) === written) this.#writes.delete(digest);
  }

  async #sweep(): Promise<void> {
    try {
      await this.store.sweep();
    } catch (error) {
      this.#logger.warn(`Old idempotency keys were not deleted: ${(error as Error).message}`);
    }
  }
}
