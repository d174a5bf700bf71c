import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { catchError, from, map, Observable, type Subscriber, tap } from 'rxjs';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { type Claim, IdempotencyStore, type KeyedRequest } from '../../billing/idempotency-store.js';
import { ApiError } from '../../common/api-error.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import type { GenerationRecord } from '../../common/generation-record.js';
import { seal, unseal } from './sealed-text.js';
import { ConfigService } from '../../config/config.service.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import { canonicalJson, idempotencyKeyOf } from './idempotency-key.js';
import type { GenerationCall } from '../inference.service.js';

/** Bytes of an answer that is kept. */
const MAX_ANSWER = 1_048_576;

const SWEEP_MS = 600_000;

/** Milliseconds for which a request waits until its key has been looked up. */
const CLAIM_TIMEOUT = 5_000;

/** A request under a client's key. */
interface Keyed extends KeyedRequest {
  /** Encrypts its answer. It cannot be made without the client's key, which nothing keeps. */
  readonly secret: Buffer;
}

/** What is kept of an answer: who gave it, which parameters were dropped, and its body. */
interface KeptResponse extends Pick<GenerationRecord, 'provider' | 'upstreamModel'> {
  readonly dropped: readonly string[];
  readonly body: object;
}

/** The key is another request's. */
type Taken = Exclude<Claim, { readonly kind: 'claimed' }>;

/** Official clients send a 409 again unless they are told not to. */
const FINAL = { retry: false };

const conflicts = {
  running: ['A request with this Idempotency-Key is still running.', { retryAfter: 1 }],
  other_request: ['This Idempotency-Key was sent before with another request.', FINAL],
  ended: ['The request with this Idempotency-Key has ended, and its answer is not kept. It was charged once at most.', FINAL],
} as const;

function unknownKey(cause?: unknown): ApiError {
  const message = 'The Idempotency-Key cannot be checked at the moment. Please try again.';
  return new ApiError('service_unavailable', message, { retryAfter: 1 }, { cause });
}

type Answer<T> = Observable<StreamEvent | T>;

/** Requests with the header Idempotency-Key: under one key one answer is charged, and a repeat is given the same answer or 409. */
@Injectable()
export class IdempotencyService implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger(IdempotencyService.name);
  /** By digest: what the store is being told of requests that have ended here. */
  readonly #closing = new Map<string, Promise<void>>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: IdempotencyStore,
    private readonly secrets: DerivedSecrets,
    private readonly config: ConfigService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.store.recover();
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all(this.#closing.values());
  }

  /**
   * The answer; where the client has sent its key before, what was answered then. Errors are ApiError, of these its own: 409 idempotency_conflict,
   * and 503 service_unavailable where it cannot be known whether the key was sent before.
   * @param answer is subscribed to only when it is to be given
   * @throws ApiError 400 invalid_request for a malformed key
   */
  once<T extends object>(operation: GenerationRecord['operation'], call: GenerationCall, answer: Answer<T>): Answer<T> {
    const header = call.context.headers['idempotency-key'];
    if (header === undefined) return answer;
    const keyed = this.#keyed(idempotencyKeyOf(header), operation, call);
    return new Observable((subscriber) => {
      const timer = setTimeout(() => subscriber.error(unknownKey()), CLAIM_TIMEOUT);
      const begin = (claim: Claim): void => {
        if (claim.kind === 'claimed') {
          // Nobody waits for it any more.
          if (subscriber.closed) return void this.#giveBack(keyed);
          clearTimeout(timer);
          subscriber.add(this.#first(keyed, call.context, answer).subscribe(subscriber));
        } else if (!subscriber.closed) this.#repeat(claim, keyed, call.context, subscriber as Subscriber<object>);
      };
      this.#claim(keyed)
        .then(begin)
        .catch((error: unknown) => subscriber.error(error));
      return () => clearTimeout(timer);
    });
  }

  #keyed(key: string, operation: GenerationRecord['operation'], { principal, context }: GenerationCall): Keyed {
    const { requestId, body } = context;
    const { model } = body as { model: string };
    const secret = (purpose: string, ...texts: string[]) => this.secrets.derive(`idempotency ${purpose}`, ...texts);
    return {
      requestId,
      principal,
      operation,
      model,
      digest: secret('key', principal.keyId, key).toString('hex'),
      fingerprint: secret('body', operation, canonicalJson(body)).toString('hex'),
      secret: secret('answer', principal.keyId, key),
    };
  }

  async #claim(keyed: Keyed): Promise<Claim> {
    await this.#closing.get(keyed.digest);
    try {
      return await this.store.claim(keyed, this.config.current.routing.total_timeout);
    } catch (cause) {
      throw unknownKey(cause);
    }
  }

  #first<T extends object>(keyed: Keyed, context: RequestContext, answer: Answer<T>): Answer<T> {
    return answer.pipe(
      tap({
        next: (value) => {
          if (typeof value !== 'string' && !(value instanceof EventRun)) void this.#keep(keyed, keptResponse(context.record!, value));
        },
        unsubscribe: () => void this.#giveBack(keyed, context.record),
      }),
      catchError((error: unknown) =>
        from(this.#giveBack(keyed, context.record)).pipe(
          map(() => {
            throw error;
          }),
        ),
      ),
    );
  }

  #repeat(claim: Taken, { digest, secret, operation, model }: Keyed, context: RequestContext, subscriber: Subscriber<object>): void {
    if (claim.kind !== 'answered') {
      const [message, advice] = conflicts[claim.kind];
      return subscriber.error(new ApiError('idempotency_conflict', message, advice));
    }
    const { provider, upstreamModel, dropped, body } = JSON.parse(unseal(claim.answer, secret, digest)) as KeptResponse;
    context.record = {
      operation,
      model,
      streamed: false,
      attempts: [],
      provider,
      upstreamModel,
      dropped: new Set(dropped),
      outcome: 'replayed',
      charged: 0n,
    };
    subscriber.next(body);
    subscriber.complete();
  }

  /** The client does not wait for it: whoever has the answer needs no repeat. */
  async #keep(keyed: Keyed, answer: KeptResponse): Promise<void> {
    if (!this.config.current.store.keep_answers) return;
    const text = JSON.stringify(answer);
    if (Buffer.byteLength(text) > MAX_ANSWER) return;
    await this.#tell(keyed, this.store.keep(keyed, seal(text, keyed.secret, keyed.digest)));
  }

  /** Unless it was charged, or could have been: then the key stays with its request. */
  async #giveBack(keyed: Keyed, record?: GenerationRecord): Promise<void> {
    const { outcome, usage } = record ?? {};
    if (outcome === 'completed' || (outcome === 'client_left' && usage?.completion_tokens)) return;
    await this.#tell(keyed, this.store.giveBack(keyed));
  }

  /** Never rejects: what the store does not learn here it learns from the usage row. */
  async #tell({ digest }: Keyed, telling: Promise<void>): Promise<void> {
    const told = telling.catch((error: Error) =>
      this.#logger.warn(`The end of a request under a client's key was not stored: ${error.message}`),
    );
    this.#closing.set(digest, told);
    await told;
    if (this.#closing.get(digest) === told) this.#closing.delete(digest);
  }

  async #sweep(): Promise<void> {
    try {
      await this.store.sweep();
      await this.store.limit();
    } catch (error) {
      this.#logger.warn(`Old idempotency keys were not deleted: ${(error as Error).message}`);
    }
  }
}

function keptResponse({ provider, upstreamModel, dropped }: GenerationRecord, body: object): KeptResponse {
  return { provider, upstreamModel, dropped: [...dropped], body };
}
