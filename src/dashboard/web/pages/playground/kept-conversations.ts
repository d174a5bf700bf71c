import type { Conversation } from './conversation';
import { titleOf } from './conversation';

/** What a list shows of a conversation that is kept. */
export interface Summary {
  readonly id: string;
  /** The person and the account. */
  readonly owner: string;
  readonly title: string;
  readonly models: readonly string[];
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Characters. */
  readonly size: number;
}

/** Conversations of one owner that are kept at most, and the characters of all of them together. */
export const MAX_KEPT = 50;
export const MAX_SIZE = 40_000_000;

/** The ids of those that are to be forgotten, the oldest first, so that the others are within both bounds. */
export function tooMany(summaries: readonly Summary[]): string[] {
  let size = 0;
  return summaries
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .filter((summary, index) => {
      size += summary.size;
      // The newest one stays, however large it is.
      return index >= MAX_KEPT || (index > 0 && size > MAX_SIZE);
    })
    .map(({ id }) => id);
}

const SUMMARIES = 'summaries';
const CONVERSATIONS = 'conversations';

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps nothing.')));
  });
}

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= (() => {
    const request = indexedDB.open('switchyard.playground', 1);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(SUMMARIES, { keyPath: 'id' }).createIndex('owner', 'owner');
      request.result.createObjectStore(CONVERSATIONS, { keyPath: 'id' });
    });
    return done(request);
  })();
  opened.catch(() => (opened = undefined));
  return opened;
}

async function stores(mode: IDBTransactionMode): Promise<[summaries: IDBObjectStore, conversations: IDBObjectStore]> {
  const transaction = (await database()).transaction([SUMMARIES, CONVERSATIONS], mode);
  return [transaction.objectStore(SUMMARIES), transaction.objectStore(CONVERSATIONS)];
}

/** The conversations that this browser keeps for an owner, the newest first. */
export async function keptOf(owner: string): Promise<Summary[]> {
  const [summaries] = await stores('readonly');
  const all = (await done(summaries.index('owner').getAll(owner))) as Summary[];
  return all.sort((one, other) => other.updatedAt - one.updatedAt);
}

/** A conversation that is kept; undefined where it is not. */
export async function kept(id: string): Promise<Conversation | undefined> {
  const [, conversations] = await stores('readonly');
  return done(conversations.get(id) as IDBRequest<Conversation | undefined>);
}

/** Keeps a conversation in this browser, and forgets the oldest ones beyond the bounds. */
export async function keep(owner: string, conversation: Conversation): Promise<void> {
  const { id, updatedAt, columns } = conversation;
  const size = JSON.stringify(conversation).length;
  const summary: Summary = { id, owner, updatedAt, size, title: titleOf(conversation), models: columns.map(({ model }) => model) };
  const [summaries, conversations] = await stores('readwrite');
  conversations.put(conversation);
  await done(summaries.put(summary));
  const all = (await done(summaries.index('owner').getAll(owner))) as Summary[];
  for (const old of tooMany(all)) {
    summaries.delete(old);
    conversations.delete(old);
  }
}

/** Forgets conversations of this browser. */
export async function forget(ids: readonly string[]): Promise<void> {
  const [summaries, conversations] = await stores('readwrite');
  await Promise.all(ids.flatMap((id) => [done(summaries.delete(id)), done(conversations.delete(id))]));
}
