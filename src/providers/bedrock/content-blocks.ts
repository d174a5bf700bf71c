import { copyMember, hasText, hasVisibleText, valueAt } from '../../wire/members.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { base64Of, dataUrlAt, mediaTypeOf, putData } from '../translation/data-url.js';
import { isText } from '../protocols/is-text.js';
import { partsOf } from '../protocols/parts-of.js';
import { ProviderError } from '../contract/provider-error.js';
import type { CachePointBlock, DocumentBlock, DocumentFormat, ImageBlock, PartBlock, TextBlock } from './wire.js';
import { ownOf } from '../../wire/own-members.js';

type ImageFormat = ImageBlock['image']['format'];

const imageFormats: Readonly<Record<string, ImageFormat>> = {
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

const documentFormats: Readonly<Record<string, DocumentFormat>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

/** What a message may have beside its text. */
export const converseMedia = {
  image: base64Of(Object.keys(imageFormats).join('|')),
  file: base64Of(Object.keys(documentFormats).join('|')),
};

/** Characters of a document's name that are sent; the vendor takes 200. */
const MAX_NAME = 100;

/**
 * Converts a message's content to blocks, in order, each with the cache point that the client marked it with. Text
 * without a visible character is left out, because the vendor refuses it.
 * @throws ProviderError invalid_request
 */
export function partBlocks(message: Message): PartBlock[] {
  const blocks: PartBlock[] = [];
  for (const part of partsOf(message)) {
    const block = partBlock(part);
    if ('text' in block && !hasVisibleText(block, 'text')) continue;
    blocks.push(block, ...cachePoints(part['cache_control'] ?? (part['prompt_cache_breakpoint'] && {})));
  }
  const last = blocks.at(-1);
  if (last && !('cachePoint' in last)) blocks.push(...cachePoints(message.cache_control));
  return blocks;
}

/** A block with the text of a member; an empty one where there is none. */
export function textBlock(holder: object, name: string): TextBlock {
  const block: TextBlock = { text: '' };
  if (hasText(holder, name)) copyMember(holder, name, block, 'text');
  return block;
}

/** The cache point that a mark of the client becomes; none where there is no mark. */
export function cachePoints(mark: unknown): CachePointBlock[] {
  if (!isObject(mark)) return [];
  return [{ cachePoint: mark['ttl'] === '1h' ? { type: 'default', ttl: '1h' } : { type: 'default' } }];
}

function partBlock(part: ContentPart): TextBlock | ImageBlock | DocumentBlock {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textBlock(part, part.type);
    case 'image_url':
      return imageBlock(part.image_url ?? {});
    case 'file':
      return documentBlock(part['file']);
    default:
      throw new ProviderError('invalid_request', `Content parts of type '${part.type.slice(0, 100)}' are not supported by this model`);
  }
}

function imageBlock(image: object): ImageBlock {
  const { mediaType, source } = dataOf(image, 'url');
  const format = ownOf(imageFormats, mediaType);
  if (!format) throw new ProviderError('invalid_request', 'Images must be JPEG, PNG, GIF or WebP, as a base64 data URL');
  return { image: { format, source } };
}

function documentBlock(given: unknown): DocumentBlock {
  const file = isObject(given) ? given : {};
  const { mediaType, source } = dataOf(file, 'file_data');
  const format = ownOf(documentFormats, mediaType);
  if (!format) {
    const formats = [...new Set(Object.values(documentFormats))].join(', ');
    throw new ProviderError('invalid_request', `Files must be one of ${formats}, as a base64 data URL in file_data`);
  }
  return { document: { format, name: documentName(valueAt(file, 'filename')), source } };
}

/** The vendor takes letters, digits, single spaces, hyphens, parentheses and square brackets. */
function documentName(filename: unknown): string {
  const name = isText(filename) ? filename.slice(0, MAX_NAME).replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ') : '';
  return name.trim() || 'document';
}

function dataOf(holder: object, name: string): { mediaType: string; source: { bytes: string } } {
  const url = dataUrlAt(holder, name);
  const source = { bytes: '' };
  if (url) putData(source, 'bytes', url);
  return { mediaType: url ? mediaTypeOf(url) : '', source };
}
