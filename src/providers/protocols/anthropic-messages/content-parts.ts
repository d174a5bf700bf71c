import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import { copyMember, hasSomeText, hasText, hasVisibleText } from '../../../wire/members.js';
import { isObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import { dataUrlAt, mediaTypeOf, withData } from '../../translation/data-url.js';
import { fileAddress, fileOfPart } from '../../translation/file-of-part.js';
import type { CacheControl, DocumentBlock, ImageBlock, ImageType, PartBlock, TextBlock } from './wire.js';
import { ownOf } from '../../../wire/own-members.js';

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
export function partBlocks(message: Message): PartBlock[] {
  if (hasText(message, 'content')) return hasVisibleText(message, 'content') ? [textBlock(message, 'content')] : [];
  const blocks: PartBlock[] = [];
  for (const part of (message.content ?? []) as readonly ContentPart[]) {
    const block = partBlock(part);
    if (block.type === 'text' && !hasVisibleText(block, 'text')) continue;
    blocks.push(marked(block, part.cache_control ?? (part['prompt_cache_breakpoint'] && { type: 'ephemeral' })));
  }
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

/** Sets the marker of a message on the last of its blocks. */
export function markedLast<Block extends { cache_control?: CacheControl }>(blocks: Block[], { cache_control }: Message): Block[] {
  const last = blocks.at(-1);
  if (last) marked(last, cache_control);
  return blocks;
}

/** A block with the text of a member; an empty one where there is none. */
export function textBlock(holder: object, name: string): TextBlock {
  const block: TextBlock = { type: 'text', text: '' };
  if (hasText(holder, name)) copyMember(holder, name, block, 'text');
  return block;
}

/** Sets the marker of prompt caching where the client sent one. */
export function marked<Block extends { cache_control?: CacheControl }>(block: Block, cacheControl: unknown): Block {
  if (isObject(cacheControl)) block.cache_control = cacheControl as unknown as CacheControl;
  return block;
}

function partBlock(part: ContentPart): PartBlock {
  switch (part.type) {
    case 'text':
      return textBlock(part, 'text');
    case 'refusal':
      return textBlock(part, 'refusal');
    case 'image_url':
      return imageBlock(part.image_url);
    case 'file':
    case 'document_url':
    case 'file_url':
      return documentBlock(fileOfPart(part) ?? {});
    default:
      throw new ProviderError('invalid_request', `Content parts of type '${part.type.slice(0, 100)}' are not supported by this model`);
  }
}

function imageBlock(image: ContentPart['image_url']): ImageBlock {
  const url = image && dataUrlAt(image, 'url');
  if (url && /^https?:/i.test(url.head)) return { type: 'image', source: { type: 'url', url: image.url } };
  const media_type = url && ownOf(imageTypes, mediaTypeOf(url));
  if (!media_type) throw new ProviderError('invalid_request', 'Images must be JPEG, PNG, GIF or WebP, as an address or a base64 data URL');
  return { type: 'image', source: withData({ type: 'base64' as const, media_type, data: '' }, url) };
}

/** A file id would name a file of our own account at the vendor, and is not taken. */
function documentBlock(file: object): DocumentBlock {
  const block: DocumentBlock = { type: 'document', source: sourceOf(file) };
  if (hasSomeText(file, 'filename')) copyMember(file, 'filename', block, 'title');
  return block;
}

function sourceOf(file: object): DocumentBlock['source'] {
  const address = fileAddress(file);
  if (address !== undefined) return { type: 'url', url: address };
  const url = dataUrlAt(file, 'file_data');
  if (!url || mediaTypeOf(url) !== 'application/pdf')
    throw new ProviderError('invalid_request', 'Files must be PDF, as an address in file_url or a base64 data URL in file_data');
  return withData({ type: 'base64' as const, media_type: 'application/pdf' as const, data: '' }, url);
}
