import { decodedStart, longTextAt, valueAt } from '../../../json/long-text.js';
import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import { imageHeader } from './image-header.js';

/** What can be said of an image without looking at its pixels. */
export interface ImageFacts {
  /** The name of its format; undefined where it is not known. */
  readonly kind?: string;
  readonly bytes?: number;
  readonly width?: number;
  readonly height?: number;
}

/** Tokens of one image at most. */
export const MAX_IMAGE_TOKENS = 1_600;
/** Pixels of which a token is counted. */
const PIXELS_A_TOKEN = 750;
/** Tokens of an image whose size is not known. */
const UNKNOWN_SIZE = 800;

/** Characters of base64 in which the sides are looked for; those of a JPEG may stand behind its colour profile. */
const HEADER = 1_024;
const MAX_HEADER = 262_144;
/** Characters before the data of a `data:` URL at most (RFC 2397). */
const MAX_MEDIA_TYPE = 256;

/** The images of a message, in its order. An image at an address is not fetched, so that nothing is known of it. */
export function* imagesOf(message: Message | undefined): Generator<ImageFacts> {
  const content = message && (valueAt(message, 'content') as Message['content']);
  if (!Array.isArray(content)) return;
  for (const part of content) if (part.type === 'image_url') yield factsOf(part);
}

export function imageTokens({ width, height }: ImageFacts): number {
  if (width === undefined || height === undefined) return UNKNOWN_SIZE;
  return Math.min(Math.ceil((width * height) / PIXELS_A_TOKEN), MAX_IMAGE_TOKENS);
}

function factsOf(part: ContentPart): ImageFacts {
  const holder = part.image_url;
  if (typeof holder !== 'object' || holder === null) return {};
  const long = longTextAt(holder, 'url');
  if (!long && typeof holder.url !== 'string') return {};
  const start = (length: number) => (long ? decodedStart(long, length) : holder.url.slice(0, length));
  const [head, mediaType = '', encoding] = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.-]+)*?(;base64)?,/i.exec(start(MAX_MEDIA_TYPE)) ?? [];
  if (head === undefined || encoding === undefined) return {};
  const length = (long ? long.bytes : holder.url.length) - head.length;
  const end = long ? lastCharacters(long.json) : holder.url.slice(-2);
  const padding = /=*$/.exec(end)![0].length;
  const named = /^image\/([\w.+-]+)/i.exec(mediaType)?.[1]?.toUpperCase();
  const header = (characters: number) => imageHeader(Buffer.from(start(head.length + characters).slice(head.length), 'base64'));
  const found = header(HEADER);
  return {
    kind: named,
    ...(found?.width === undefined ? header(MAX_HEADER) : found),
    bytes: Math.max(Math.floor((length * 3) / 4) - padding, 0),
  };
}

function lastCharacters(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces.slice(-2).map((piece) => piece.subarray(-2)))
    .toString('latin1')
    .slice(-2);
}

/** Says what is known of each image. */
export function describeImages(images: readonly ImageFacts[]): string {
  const sentences = images.map((image, index) => `${images.length === 1 ? 'The image' : `Image ${index + 1}`} ${described(image)}.`);
  return sentences.join(' ');
}

function described({ kind, bytes, width, height }: ImageFacts): string {
  if (bytes === undefined) return 'is at an address, which I do not fetch';
  const what = `is ${kind === undefined ? 'a file' : `a ${kind} file`} of ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return width === undefined ? `${what}, whose header does not tell its size` : `${what}, ${width} pixels wide and ${height} pixels high`;
}
