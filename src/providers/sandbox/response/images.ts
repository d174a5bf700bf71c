import { valueAt } from '../../../wire/members.js';
import type { Message } from '../../../wire/chat-completion.js';

/** Tokens that an image counts, whatever its size. */
export const IMAGE_TOKENS = 800;

/** Characters before the data of a `data:` URL at most (RFC 2397). */
const MAX_MEDIA_TYPE = 256;

/** The media types of the images of a message, in its order; undefined for one at an address, which is not fetched. */
export function imagesOf(message: Message | undefined): (string | undefined)[] {
  const content = message && (valueAt(message, 'content') as Message['content']);
  if (!Array.isArray(content)) return [];
  return content.filter(({ type }) => type === 'image_url').map(({ image_url: holder }) => mediaTypeOf(holder));
}

function mediaTypeOf(holder: unknown): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined;
  const { url } = holder as { url?: unknown };
  return typeof url === 'string' ? /^data:(image\/[\w.+-]+);base64,/i.exec(url.slice(0, MAX_MEDIA_TYPE))?.[1]?.toLowerCase() : undefined;
}

/** Says what is known of each image. */
export function describeImages(images: readonly (string | undefined)[]): string {
  return images.map((type, index) => `${images.length === 1 ? 'The image' : `Image ${index + 1}`} ${described(type)}.`).join(' ');
}

const described = (type: string | undefined) =>
  type === undefined ? 'is at an address, which I do not fetch' : `is of the type ${type}, and I do not look at it`;
