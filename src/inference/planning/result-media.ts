import { isFree, type Offer } from '../../catalogue/offer.js';
import { changedFrom } from '../../json/json-source.js';
import { copyWith } from '../../wire/members.js';
import { dataUrlAt } from '../../providers/translation/data-url.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { modalityOfType } from '../../wire/media-part.js';
import { contentParts } from '../fitting/content-parts.js';
import { unsupported } from './requirements.js';
import { mapped } from '../fitting/tool-schema.js';

/** How the names begin by which parts that are left out are reported. */
const REPORTED = 'messages.content.';

/** Whether a route would tell in words what a tool has brought. */
export function leavesOutMedia(dropped: ReadonlySet<string>): boolean {
  return [...dropped].some((name) => name.startsWith(REPORTED));
}

/**
 * The request with words in the place of those parts of earlier tools' results that the offer does not take. Every later
 * turn of the conversation has them, and would fail. An image with the detail `original` gets `high` where the vendor has
 * no such word.
 * @param unpaid whether nobody pays for the request
 * @param dropped is called with what is left out
 * @returns the same request where the offer takes all of it
 * @throws ApiError 400 unsupported_parameter for a part of a result that the answer is to
 */
export function fitResultMedia(
  offer: Offer,
  request: ChatGenerationRequest,
  unpaid: boolean,
  dropped: (parameter: string) => void,
): ChatGenerationRequest {
  const asked = new Set(request.messages.slice(request.messages.findLastIndex(({ role }) => role !== 'tool') + 1));
  const inWords = (part: ContentPart, isAsked: boolean): ContentPart => {
    const modality = modalityOfType(part);
    if (modality === 'text' || takes(offer, part, modality, unpaid)) return part;
    const kind = modality === 'unknown' ? part.type.slice(0, 100) : modality;
    if (isAsked) throw unsupported(REPORTED + kind, offer);
    dropped(REPORTED + kind);
    return { type: 'text', text: `[${kind} left out: the model does not take it]` };
  };
  const original = offer.rules?.originalImages === true || (request.native !== undefined && request.native.wire === offer.nativeItems);
  const inDetail = (part: ContentPart): ContentPart => {
    if (original || part.image_url?.detail !== 'original') return part;
    dropped(`${REPORTED}image_url.detail`);
    return { ...part, image_url: copyWith(part.image_url, { detail: 'high' }) };
  };
  const messages = mapped(request.messages, (message) => {
    const parts = contentParts(message);
    const told = parts && mapped(parts, (part) => inDetail(message.role === 'tool' ? inWords(part, asked.has(message)) : part));
    return told === parts ? message : copyWith(message, { content: told as ContentPart[] });
  });
  if (messages === request.messages) return request;
  return copyWith(request, { messages: changedFrom(request.messages as Message[], messages as Message[]) });
}

function takes(offer: Offer, part: ContentPart, modality: Exclude<ReturnType<typeof modalityOfType>, 'text'>, unpaid: boolean): boolean {
  if (modality === 'image' && !offer.capabilities.vision) return false;
  if (!unpaid && !isFree(offer) && (modality === 'unknown' || offer.inputCeilings[modality] === undefined)) return false;
  const { media } = offer.rules ?? {};
  return !media || (modality !== 'unknown' && media[modality]?.test(beginningOf(part)) === true);
}

/** What the address or the data of a part begins with; empty where it has neither. */
function beginningOf({ image_url, file }: ContentPart): string {
  const url =
    (image_url && dataUrlAt(image_url, 'url')) ?? (file ? (dataUrlAt(file, 'file_data') ?? dataUrlAt(file, 'file_url')) : undefined);
  return url?.head ?? '';
}
