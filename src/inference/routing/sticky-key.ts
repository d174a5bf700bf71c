import { createHash, type Hash } from 'node:crypto';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import { contentParts } from '../fitting/content-parts.js';

/** How much of one text counts: the beginning, as providers look at it, too, where they choose a machine by it. */
const TEXT_LENGTH = 1024;
/** How many messages, and parts of one message, count at most. */
const MAX_MESSAGES = 8;
const MAX_PARTS = 8;

/**
 * The text by which the requests of one conversation go to the same offer, whose provider has its beginning in a cache:
 * what the client names (`prompt_cache_key`, or else `user`), otherwise a hash of the beginning that later turns have
 * in common with the first one. For a chat it ends with the first message of a user, for a legacy completion it is the
 * beginning of the prompt. Two accounts never share a key.
 */
export function stickyKey(request: InferenceRequest, account: string): string {
  const named = request.extra?.['prompt_cache_key'] ?? request.user;
  const hash = createHash('sha256').update(account).update('\0');
  if (typeof named === 'string' && named !== '') hash.update('named\0').update(named);
  else if (request.operation === 'completion') addText(hash, request, 'prompt');
  else if (isOverInputs(request)) addText(hash, request.input, '0');
  else addBeginning(hash, request.messages);
  return hash.digest('base64url');
}

function addBeginning(hash: Hash, messages: readonly Message[]): void {
  for (const message of messages.slice(0, MAX_MESSAGES)) {
    hash.update(message.role);
    const parts = contentParts(message);
    if (parts) for (const part of parts.slice(0, MAX_PARTS)) addPart(hash, part);
    else addText(hash, message, 'content');
    if (message.role === 'user') return;
  }
}

/** Media counts by the beginning of its address or its data. */
function addPart(hash: Hash, part: ContentPart): void {
  hash.update(part.type);
  addText(hash, part, 'text');
  if (part.image_url) addText(hash, part.image_url, 'url');
}

/** A text counts by its first characters. */
function addText(hash: Hash, holder: object, name: string): void {
  const value = (holder as Record<string, unknown>)[name];
  hash.update('\0');
  if (typeof value === 'string') hash.update(value.slice(0, TEXT_LENGTH));
  else if (Array.isArray(value)) hash.update(value.slice(0, TEXT_LENGTH).join());
}
