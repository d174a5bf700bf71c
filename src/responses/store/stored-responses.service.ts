import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Observable } from 'rxjs';
import { ApiError } from '../../common/api-error.js';
import { BodyBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { Clock } from '../../common/time/clock.js';
import { ConfigService } from '../../config/config.service.js';
import { askedBy } from '../../database/askers-queue.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import type { DeletedResponse, OutputItem, ResponseItemList, ResponseObject } from '../../wire/response.js';
import type { WrittenJson } from '../../wire/written-json.js';
import { reachable } from './reachable-store.js';
import { requestIdOf } from './response-id.js';
import { beginningOf, endingOf, replayedEvent, type ReplayStep } from './response-replay.js';
import { ResponseStore } from '../../response-store/response-store.js';
import { RunningResponses } from '../../response-store/running-responses.js';
import { isRunning, type Owner, type StoredItem, type StoredResponse, type StoredSizes } from '../../response-store/stored-response.js';
import type { InputItemsQuery } from './stored-responses.query.js';

/** Milliseconds for which a cancellation waits for what was generated until then, and between two looks. */
const CANCEL_MS = 1_500;
const LOOK_MS = 50;

/** Milliseconds between two looks whether a response whose events are sent has ended. */
const FOLLOW_MS = 500;

/** What clients do with responses that are stored. Those of other accounts are not there for them. */
@Injectable()
export class StoredResponsesService {
  /** The looks to come at responses whose events are sent, by the id of the request: one for all who follow. */
  readonly #looks = new Map<string, Promise<boolean>>();

  constructor(
    private readonly store: ResponseStore,
    private readonly running: RunningResponses,
    private readonly config: ConfigService,
    private readonly bodies: BodyBudget,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404 not_found, 503 service_unavailable where too many bytes are read at the same time */
  async find(owner: Owner, responseId: string, context: RequestContext): Promise<WrittenJson<ResponseObject>> {
    await this.#claim(owner, responseId, context, 'bytes');
    return (await this.#find(owner, responseId)).response;
  }

  /**
   * The events of a response, which have the same numbers whenever they are asked for. Of one that is generated those of
   * its output come when it has ended. One waits for a client that does not keep up.
   * @param after the number of the last event that the client has
   * @throws ApiError 404 not_found, 503 service_unavailable
   */
  events(owner: Owner, responseId: string, context: RequestContext, after = -1): Observable<StreamEvent> {
    return new Observable((client) => {
      let number = 0;
      const send = async (steps: Iterable<ReplayStep>): Promise<void> => {
        for (const step of steps) {
          if (client.closed) return;
          if (number++ <= after) continue;
          client.next(await replayedEvent(step, number - 1));
          // The event has been written by then, and the client is known to be behind.
          await nextTurn();
          await context.flow.ready();
        }
      };
      const look = async (): Promise<void> => {
        await this.#claim(owner, responseId, context, 'bytes');
        const { id, status, response: written } = await this.#find(owner, responseId);
        await nextTurn();
        const response = written.parsed();
        if (number === 0) await send(beginningOf(response));
        if (isRunning(status)) {
          while (!client.closed && (await this.#isRunning(owner, id)));
          return client.closed ? undefined : look();
        }
        await send(endingOf(response));
        if (client.closed) return;
        if (number <= after + 1) throw new ApiError('invalid_request', `starting_after: the response has ${number} events.`);
        client.complete();
      };
      look().catch((error: unknown) => client.error(error));
    });
  }

  /**
   * Its text is gone then; responses that continue it stay, and cannot be continued any more.
   * @throws ApiError 404 not_found, 503 service_unavailable
   */
  async delete(owner: Owner, responseId: string): Promise<DeletedResponse> {
    const id = requestIdOf(responseId);
    if (id === undefined || !(await reachable(askedBy(owner.accountId, () => this.store.delete(owner, id)))))
      throw this.#notFound(responseId);
    return { id: responseId, object: 'response', deleted: true };
  }

  /**
   * The response with what was generated of it. One that has ended stays as it is.
   * @throws ApiError 404 not_found, 503 service_unavailable, 400 invalid_request for one that is not in the background
   */
  async cancel(owner: Owner, responseId: string, context: RequestContext): Promise<WrittenJson<ResponseObject>> {
    await this.#claim(owner, responseId, context, 'bytes');
    let found = await this.#find(owner, responseId);
    if (!found.background)
      throw new ApiError('invalid_request', `'${responseId}' is not in the background: only such a response can be cancelled.`);
    if (!isRunning(found.status)) return found.response;
    await reachable(askedBy(owner.accountId, () => this.running.cancel(owner, found.id)));
    for (let waited = 0; found.open && waited < CANCEL_MS; waited += LOOK_MS) {
      if (waited > 0) await this.clock.delay(LOOK_MS);
      found = await this.#find(owner, responseId);
    }
    return found.response;
  }

  /**
   * The conversation before the response, of which it is the last answer.
   * @throws ApiError 404 not_found, 503 service_unavailable, 400 invalid_request for an `after` that is none of the items
   */
  async inputItems(
    owner: Owner,
    responseId: string,
    { limit, order, after }: InputItemsQuery,
    context: RequestContext,
  ): Promise<ResponseItemList> {
    await this.#claim(owner, responseId, context, 'conversation');
    const id = this.#allowed ? requestIdOf(responseId) : undefined;
    const turns = id === undefined ? [] : await reachable(this.store.conversation(owner, id));
    const last = turns.pop();
    if (!last) throw this.#notFound(responseId);
    const items: (StoredItem | OutputItem)[] = [...turns.flatMap(({ input, output }) => [...input, ...output]), ...last.input];
    if (order === 'desc') items.reverse();
    const begin = after === undefined ? 0 : items.findIndex((item) => item.id === after) + 1;
    if (after !== undefined && begin === 0) throw new ApiError('invalid_request', `after: '${after}' is none of the items.`);
    const page = items.slice(begin, begin + limit);
    return {
      object: 'list',
      data: page,
      first_id: page[0]?.id ?? '',
      last_id: page.at(-1)?.id ?? '',
      has_more: begin + limit < items.length,
    };
  }

  /** Whether a response is still generated when FOLLOW_MS have passed, or somewhat earlier. */
  #isRunning(owner: Owner, id: string): Promise<boolean> {
    let look = this.#looks.get(id);
    if (look) return look;
    look = this.clock
      .delay(FOLLOW_MS, { ref: false })
      .then(() => reachable(this.store.isRunning(owner, id)))
      .finally(() => this.#looks.delete(id));
    this.#looks.set(id, look);
    return look;
  }

  /** Counts what is read among the bytes of the requests under way, before it is, and until the client has the answer. */
  async #claim(owner: Owner, responseId: string, context: RequestContext, what: keyof StoredSizes): Promise<void> {
    const id = this.#allowed ? requestIdOf(responseId) : undefined;
    const sizes = id === undefined ? undefined : await reachable(this.store.sizes(owner, id));
    if (!sizes) throw this.#notFound(responseId);
    const claim = (context.answerClaim ??= new ByteClaim(this.bodies, owner.accountId));
    // Nothing would give back what a request takes that has ended.
    if (context.work.closed || !claim.resize(sizes[what]))
      throw new ApiError('service_unavailable', 'The requests under way have too many bytes together. Please retry.', { retryAfter: 1 });
  }

  async #find(owner: Owner, responseId: string): Promise<StoredResponse> {
    const id = this.#allowed ? requestIdOf(responseId) : undefined;
    const found = id === undefined ? undefined : await reachable(this.store.find(owner, id));
    if (!found) throw this.#notFound(responseId);
    return found;
  }

  get #allowed(): boolean {
    return this.config.current.store.keep_responses;
  }

  #notFound(responseId: string): ApiError {
    const why = this.#allowed ? '' : ' Responses are not stored here: the setting store.keep_responses is off.';
    return new ApiError('not_found', `Response with id '${responseId.slice(0, 100)}' not found.${why}`);
  }
}
