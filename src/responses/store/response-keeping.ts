import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { BodyBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { messageOf } from '../../common/message-of.js';
import { ConfigService } from '../../config/config.service.js';
import { askedBy } from '../../database/askers-queue.js';
import type { GenerationCall } from '../../inference/inference.service.js';
import { sourceBytesOfMembers } from '../../json/json-source.js';
import { copyMember, copyWith, valueAt } from '../../wire/members.js';
import type { ResponseObject } from '../../wire/response.js';
import type { InputItem, InputMessage } from '../../wire/response-input.js';
import type { CreateResponseDto } from '../create-response.dto.js';
import { typeOf } from '../foreign-items.js';
import { MAX_ITEMS } from '../input-shape.js';
import { reachable } from './reachable-store.js';
import { requestIdOf, requestIdOfItem, responseIdOf } from './response-id.js';
import type { ResponseSpace } from '../../response-store/response-space.js';
import { ResponseStore } from '../../response-store/response-store.js';
import {
  isRunning,
  type KeptRequest,
  MAX_TURNS,
  type Owner,
  type Turn,
  type WrittenResponse,
} from '../../response-store/stored-response.js';
import { MAX_ANSWER, MAX_CONVERSATION, MAX_INPUT, MAX_REFERRED } from './store-limits.js';
import { asInput, storedItemsOf } from './stored-items.js';

/** What a request wants of the store. */
interface Wish {
  readonly store: boolean;
  /** The client has said so itself, and is refused where it cannot be. */
  readonly asked: boolean;
  readonly background: boolean;
  readonly previous: string | undefined;
}

/** A request with the conversation that it continues. */
export interface Continued {
  readonly body: CreateResponseDto;
  /** Undefined where the response is not to be stored. */
  readonly kept: KeptRequest | undefined;
}

interface Referring {
  readonly body: CreateResponseDto;
  readonly referred: number;
}

/** Decides what is kept of responses, and finds the conversations that requests continue. */
@Injectable()
export class ResponseKeeping {
  readonly #logger = new Logger(ResponseKeeping.name);

  constructor(
    private readonly config: ConfigService,
    private readonly store: ResponseStore,
    private readonly bodies: BodyBudget,
  ) {}

  /** What the operator lets an account store. */
  get space(): ResponseSpace {
    const { max_responses: entries, max_responses_bytes: bytes, max_responses_total: total } = this.config.current.store;
    return { entries, bytes, total };
  }

  /**
   * @returns undefined where the request needs no store, and the operator keeps no responses
   * @throws ApiError 400 unsupported_parameter for what cannot be stored, 400 invalid_request
   */
  wishOf({ store, background, previous_response_id, conversation }: CreateResponseDto): Wish | undefined {
    if (conversation) throw new ApiError('unsupported_parameter', 'conversation is not supported: send the input, or previous_response_id');
    const asked = Object.entries({ store, background, previous_response_id }).find(([, value]) => value)?.[0];
    if (!this.config.current.store.keep_responses) {
      if (asked === undefined) return undefined;
      const message = `${asked} is not supported: responses are not stored here (the setting store.keep_responses is off). Send the whole conversation as input`;
      throw new ApiError('unsupported_parameter', message);
    }
    if (store === false && background) throw new ApiError('invalid_request', 'background needs a response that is stored: leave store out');
    return {
      store: store !== false,
      asked: store === true || background === true,
      background: background === true,
      previous: previous_response_id ?? undefined,
    };
  }

  /**
   * @throws ApiError 404 not_found for an earlier response that is not there, 400 invalid_request for a conversation that
   * cannot be continued, 413 request_too_large for an input that cannot be stored, 503 service_unavailable
   */
  async continued(given: CreateResponseDto, { principal, context }: GenerationCall, wish: Wish): Promise<Continued> {
    const claim = new ByteClaim(this.bodies, principal.accountId);
    context.work.add(() => claim.release());
    const claimed = (bytes: number): void => {
      if (context.work.closed || !claim.resize(bytes))
        throw new ApiError('service_unavailable', 'The requests under way have too many bytes together. Please retry.', { retryAfter: 1 });
    };
    const { body, referred } = await this.#withReferred(given, principal, claimed);
    const fits = wish.store && sourceBytesOfMembers(given) + referred <= MAX_INPUT;
    const input = fits ? inputOf(body, context.requestId) : undefined;
    if (wish.store && input === undefined && wish.asked)
      throw new ApiError('request_too_large', `The input has more than ${MAX_INPUT} bytes, which are not stored. Send store: false.`);
    const earlier = wish.previous === undefined ? 0 : await this.#bytesTo(wish.previous, principal);
    claimed(earlier + referred + (input?.length ?? 0));
    const turns = wish.previous === undefined ? [] : await this.#turnsTo(wish.previous, principal);
    const last = turns.at(-1);
    const previous = last && { id: last.id, turns: last.turns, bytes: last.bytes };
    return {
      body: last ? after(turns, body) : body,
      kept: input === undefined ? undefined : { id: context.requestId, owner: principal, background: wish.background, previous, input },
    };
  }

  /**
   * Stores a response that has ended. Never rejects.
   * @returns the response; one that says that it is not stored where it could not be
   */
  async keep(kept: KeptRequest, response: ResponseObject): Promise<ResponseObject> {
    const written = writtenOf(response);
    if (!written) return { ...response, store: false };
    try {
      await askedBy(kept.owner.accountId, () => this.store.add(kept, written, this.space));
      return response;
    } catch (error) {
      this.#logger.warn(`Response ${response.id} could not be stored: ${messageOf(error)}`);
      return { ...response, store: false };
    }
  }

  /**
   * Puts stored items into the places of those that are named by their ids. What is not stored stays, to be refused.
   * @returns the bytes of JSON of the items too, in each place
   */
  async #withReferred(body: CreateResponseDto, owner: Owner, claimed: (bytes: number) => void): Promise<Referring> {
    const given = valueAt(body, 'input');
    const references = Array.isArray(given) ? (given as InputItem[]).filter((item) => typeOf(item) === 'item_reference') : [];
    const ids = new Set(references.map((item) => requestIdOfItem(String(item['id']))).filter((id) => id !== undefined));
    if (ids.size === 0) return { body, referred: 0 };
    claimed(MAX_CONVERSATION);
    const items = ids.size > MAX_REFERRED ? undefined : await reachable(this.store.items(owner, [...ids], MAX_CONVERSATION));
    let referred = 0;
    const input = (given as InputItem[]).map((item) => {
      const found = typeOf(item) === 'item_reference' ? items?.get(String(item['id'])) : undefined;
      referred += found?.bytes ?? 0;
      return found ? (found.item as InputItem) : item;
    });
    if (!items || referred > MAX_CONVERSATION)
      throw new ApiError(
        'invalid_request',
        `input names items of too many stored responses: it may be ${MAX_REFERRED}, of ${MAX_CONVERSATION} bytes together.`,
      );
    return { body: copyWith(body, { input }), referred };
  }

  /** Bytes of the conversation up to a response; 0 for one that is not there. */
  async #bytesTo(responseId: string, owner: Owner): Promise<number> {
    const id = requestIdOf(responseId);
    return id === undefined ? 0 : ((await reachable(this.store.sizes(owner, id)))?.conversation ?? 0);
  }

  async #turnsTo(responseId: string, owner: Owner): Promise<readonly Turn[]> {
    const id = requestIdOf(responseId);
    const turns = id === undefined ? [] : await reachable(this.store.conversation(owner, id));
    const last = turns.at(-1);
    if (!last) throw new ApiError('not_found', `Previous response with id '${responseId}' not found.`);
    const lost = turns[0]!.previousId;
    if (lost !== null)
      throw new ApiError(
        'not_found',
        `'${responseId}' cannot be continued: '${responseIdOf(lost)}', which it goes on from, is not stored any more.`,
      );
    if (isRunning(last.status)) throw new ApiError('invalid_request', `'${responseId}' has not ended, and can be continued when it has.`);
    if (last.status === 'failed' || last.status === 'cancelled')
      throw new ApiError('invalid_request', `'${responseId}' is ${last.status}: continue the response before it.`);
    if (last.turns >= MAX_TURNS || last.bytes > MAX_CONVERSATION)
      throw new ApiError(
        'invalid_request',
        `The conversation up to '${responseId}' is too long: it may have ${MAX_TURNS} responses and ${MAX_CONVERSATION} bytes.`,
      );
    return turns;
  }
}

/** @returns undefined for a response that has too many bytes */
export function writtenOf(response: ResponseObject): WrittenResponse | undefined {
  const json = JSON.stringify(response);
  return Buffer.byteLength(json) > MAX_ANSWER ? undefined : { status: response.status, json };
}

/** JSON of the items that a request brings; undefined where they have too many bytes. */
function inputOf(body: CreateResponseDto, requestId: string): string | undefined {
  const json = JSON.stringify(storedItemsOf(body, requestId));
  return Buffer.byteLength(json) > MAX_INPUT ? undefined : json;
}

/** @throws ApiError 400 invalid_request */
function after(turns: readonly Turn[], body: CreateResponseDto): CreateResponseDto {
  const before = turns.flatMap(({ input, output }): InputItem[] => [...input, ...output.map(asInput)]);
  const given = valueAt(body, 'input');
  const input = [...before, ...(Array.isArray(given) ? (given as InputItem[]) : [asMessage(body)])];
  if (input.length > MAX_ITEMS) throw new ApiError('invalid_request', `The conversation has more than ${MAX_ITEMS} items.`);
  return copyWith(body, { input });
}

function asMessage(body: CreateResponseDto): InputMessage {
  const message: InputMessage = { role: 'user', content: '' };
  copyMember(body, 'input', message, 'content');
  return message;
}
