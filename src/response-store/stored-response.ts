import type { Principal } from '../auth/principal.js';
import type { OutputItem, ResponseObject } from '../wire/response.js';
import type { InputItem } from '../wire/response-input.js';
import type { WrittenJson } from '../wire/written-json.js';

/** Responses that a conversation may have. */
export const MAX_TURNS = 500;

/** An item of a request's input as it is stored: with an id of the gateway, its type, and parts for content. */
export type StoredItem = InputItem & { readonly id: string; readonly type: string };

/** An item that an input may name by its id. */
export interface NamedItem {
  readonly item: StoredItem | OutputItem;
  /** Of its JSON. */
  readonly bytes: number;
}

/** Whose responses they are: the keys of an account and environment share them. */
export type Owner = Pick<Principal, 'accountId' | 'environment'>;

/** What is stored of a request before it is answered. */
export interface KeptRequest {
  readonly id: string;
  readonly owner: Owner;
  readonly background: boolean;
  readonly previous?: EarlierTurns | undefined;
  /** JSON of its StoredItems. */
  readonly input: string;
}

/** What is stored of the response itself. */
export interface WrittenResponse {
  readonly status: ResponseObject['status'];
  readonly json: string;
}

/** The conversation that a request continues. */
interface EarlierTurns {
  readonly id: string;
  readonly turns: number;
  readonly bytes: number;
}

export interface StoredResponse {
  readonly id: string;
  readonly status: ResponseObject['status'];
  readonly background: boolean;
  /** A process has not told of its end. */
  readonly open: boolean;
  readonly response: WrittenJson<ResponseObject>;
}

/** Bytes of a response with its input, and of the conversation up to it. */
export interface StoredSizes {
  readonly bytes: number;
  readonly conversation: number;
}

/** One response of a conversation with what it answers. */
export interface Turn {
  readonly id: string;
  readonly previousId: string | null;
  readonly status: ResponseObject['status'];
  readonly turns: number;
  /** Of the conversation up to it. */
  readonly bytes: number;
  readonly input: StoredItem[];
  readonly output: OutputItem[];
}

export function isRunning(status: ResponseObject['status']): boolean {
  return status === 'queued' || status === 'in_progress';
}
