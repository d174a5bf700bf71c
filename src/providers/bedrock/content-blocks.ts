import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import { ProviderError } from '../provider-error.js';
import type { CachePointBlock, DocumentBlock, DocumentFormat, ImageBlock, PartBlock, TextBlock } from './wire.js';

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

/** Characters of a document's name that are sent; the vendor takes 200. */
const MAX_NAME = 100;

/**
 * Converts a message's content to blocks, in order, each with the cache point that the client marked it with. Text
 * without a visible character is left out, because the vendor refuses it.
 * @throws ProviderError invalid_request
 */
export function partBlocks({ content, cache_control }: Message): PartBlock[] {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const blocks: PartBlock[] = [];
  for (const part of parts) {
    const block = partBlock(part);
    if ('text' in block && !/\S/.test(block.text)) continue;
    blocks.push(block, ...cachePoints(part['cache_control']));
  }
  const last = blocks.at(-1);
  if (last && !('cachePoint' in last)) blocks.push(...cachePoints(cache_control));
  return blocks;
}

/** The cache point that a mark of the client becomes; none where there is no mark. */
export function cachePoints(mark: unknown): CachePointBlock[] {
  if (!isObject(mark)) return [];
  return [{ cachePoint: mark['ttl'] === '1h' ? { type: 'default', ttl: '1h' } : { type: 'default' } }];
}

function partBlock(part: ContentPart): TextBlock | ImageBlock | DocumentBlock {
  switch (part.type) {
    case 'text':
      return { text: part.text ?? '' };
    case 'refusal':
      return { text: part.refusal ?? '' };
    case 'image_url':
      return imageBlock(part.image_url?.url ?? '');
    case 'file':
      return documentBlock(part['file']);
    default:
      throw new ProviderError('invalid_request', `Content parts of type '${part.type.slice(0, 100)}' are not supported by this model`);
  }
}

function imageBlock(url: string): ImageBlock {
  const { mediaType, bytes } = dataUrl(url);
  const format = Object.hasOwn(imageFormats, mediaType) ? imageFormats[mediaType] : undefined;
  if (!format) throw new ProviderError('invalid_request', 'Images must be JPEG, PNG, GIF or WebP, as a base64 data URL');
  return { image: { format, source: { bytes } } };
}

function documentBlock(file: unknown): DocumentBlock {
  const { file_data, filename } = isObject(file) ? file : {};
  const { mediaType, bytes } = dataUrl(isText(file_data) ? file_data : '');
  const format = Object.hasOwn(documentFormats, mediaType) ? documentFormats[mediaType] : undefined;
  if (!format) {
    const formats = [...new Set(Object.values(documentFormats))].join(', ');
    throw new ProviderError('invalid_request', `Files must be one of ${formats}, as a base64 data URL in file_data`);
  }
  return { document: { format, name: documentName(filename), source: { bytes } } };
}

/** The vendor takes letters, digits, single spaces, hyphens, parentheses and square brackets. */
function documentName(filename: unknown): string {
  const name = isText(filename) ? filename.slice(0, MAX_NAME).replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ') : '';
  return name.trim() || 'document';
}

function dataUrl(url: string): { mediaType: string; bytes: string } {
  const comma = url.indexOf(',');
  const [, mediaType = ''] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]+)*;base64$/i.exec(comma < 0 || comma > 200 ? '' : url.slice(0, comma)) ?? [];
  return { mediaType: mediaType.toLowerCase(), bytes: url.slice(comma + 1) };
}
