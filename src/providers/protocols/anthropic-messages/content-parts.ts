import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../provider-error.js';
import { isText } from '../is-text.js';
import type { CacheControl, DocumentBlock, ImageBlock, ImageType, PartBlock, TextBlock } from './wire.js';

const imageTypes: Readonly<Record<string, ImageType>> = {
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/png': 'image/png',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
};

/**
 * Converts a message's content to blocks, in order. Text without a visible character is left out, because the vendor
 * refuses it.
 * @throws ProviderError invalid_request
 */
export function partBlocks({ content, cache_control }: Message): PartBlock[] {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const blocks: PartBlock[] = [];
  for (const part of parts) {
    const block = partBlock(part);
    if (block.type === 'text' && !/\S/.test(block.text)) continue;
    blocks.push(marked(block, part.cache_control));
  }
  const last = blocks.at(-1);
  if (last) marked(last, cache_control);
  return blocks;
}

/**
 * Does what partBlocks does, where the vendor accepts text only.
 * @throws ProviderError invalid_request
 */
export function textBlocks(message: Message): TextBlock[] {
  return partBlocks(message).map((block) => {
    if (block.type !== 'text') throw new ProviderError('invalid_request', `A message of role '${message.role}' may contain text only`);
    return block;
  });
}

/** Sets the marker of prompt caching where the client sent one. */
export function marked<Block extends { cache_control?: CacheControl }>(block: Block, cacheControl: unknown): Block {
  if (isObject(cacheControl)) block.cache_control = cacheControl as unknown as CacheControl;
  return block;
}

function partBlock(part: ContentPart): PartBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text ?? '' };
    case 'refusal':
      return { type: 'text', text: part.refusal ?? '' };
    case 'image_url':
      return imageBlock(part.image_url?.url ?? '');
    case 'file':
      return documentBlock(part.file);
    default:
      throw new ProviderError('invalid_request', `Content parts of type '${part.type.slice(0, 100)}' are not supported by this model`);
  }
}

function imageBlock(url: string): ImageBlock {
  if (/^https?:/i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const { mediaType, data } = dataUrl(url);
  const media_type = imageTypes[mediaType];
  if (!media_type) throw new ProviderError('invalid_request', 'Images must be JPEG, PNG, GIF or WebP, as an address or a base64 data URL');
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

/**
 * Converts the wire format's `file` part. Only data is accepted: a file id would name a file of our own account at the
 * vendor.
 */
function documentBlock(file: unknown): DocumentBlock {
  const { file_data, filename } = isObject(file) ? file : {};
  const { mediaType, data } = dataUrl(isText(file_data) ? file_data : '');
  if (mediaType !== 'application/pdf') throw new ProviderError('invalid_request', 'Files must be PDF, as a base64 data URL in file_data');
  const source = { type: 'base64', media_type: 'application/pdf', data } as const;
  return isText(filename) ? { type: 'document', source, title: filename } : { type: 'document', source };
}

function dataUrl(url: string): { mediaType: string; data: string } {
  const comma = url.indexOf(',');
  const [, mediaType = ''] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]+)*;base64$/i.exec(comma < 0 || comma > 200 ? '' : url.slice(0, comma)) ?? [];
  return { mediaType: mediaType.toLowerCase(), data: url.slice(comma + 1) };
}
