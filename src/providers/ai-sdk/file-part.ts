import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { isObject } from '../../wire/json-object.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import { fileAddress, fileOfPart } from '../translation/file-of-part.js';
import { ProviderError } from '../contract/provider-error.js';
import { isText } from '../protocols/is-text.js';
import type { SupportedUrls } from './wire.js';
import { ownOf } from '../../wire/own-members.js';

const dataUrl = /^data:([^;,]+)(?:;[^,]*)?;base64,/i;

/** Media types of sounds by the wire format's words where they differ. */
const audioTypes: Readonly<Record<string, string>> = { mp3: 'audio/mpeg' };

/**
 * Converts an image, sound, video or file of a message.
 * @throws ProviderError invalid_request
 */
export function filePart(part: ContentPart, urls: SupportedUrls, where: string): LanguageModelV4FilePart {
  switch (part.type) {
    case 'image_url':
      return addressed(part.image_url, 'image/*', urls, where);
    case 'video_url':
      return addressed(part['video_url'], 'video/*', urls, where);
    case 'audio_url':
      return addressed(part['audio_url'], 'audio/*', urls, where);
    case 'input_audio': {
      const { data, format } = isObject(part['input_audio']) ? part['input_audio'] : {};
      if (!isText(data) || !isText(format)) throw refused(where, 'needs data and format');
      return { type: 'file', mediaType: ownOf(audioTypes, format) ?? `audio/${format}`, data: { type: 'data', data } };
    }
    case 'file':
    case 'document_url':
    case 'file_url': {
      const file = fileOfPart(part) ?? {};
      const { file_data, filename } = file as { file_data?: unknown; filename?: unknown };
      const address = fileAddress(file);
      const inline = isText(file_data) ? inlineData(file_data) : undefined;
      const made = address === undefined ? inline : addressed(address, 'application/pdf', urls, where);
      if (!made) throw refused(where, 'needs file_data as a data: URL in base64');
      return { ...made, ...(isText(filename) && { filename }) };
    }
    default:
      throw refused(where, `has the type '${part.type.slice(0, 50)}', which this model does not take`);
  }
}

function addressed(named: unknown, mediaType: string, urls: SupportedUrls, where: string): LanguageModelV4FilePart {
  const url = isObject(named) ? named['url'] : named;
  if (!isText(url)) throw refused(where, 'has no url');
  if (/^data:/i.test(url)) {
    const inline = inlineData(url);
    if (!inline) throw refused(where, 'has a data: URL that is not base64');
    return inline;
  }
  const address = URL.parse(url);
  if (!address || !takes(urls, mediaType, address))
    throw refused(where, 'has an address, which this model does not take; send a data: URL');
  return { type: 'file', mediaType, data: { type: 'url', url: address } };
}

function takes(urls: SupportedUrls, mediaType: string, { href, protocol }: URL): boolean {
  if (!/^https?:$/.test(protocol)) return false;
  const kinds = new Set(['*', '*/*', mediaType, mediaType.replace(/[^/]+$/, '*')]);
  return Object.entries(urls).some(
    ([types, patterns]) => kinds.has(types.toLowerCase()) && patterns.some((pattern) => new RegExp(pattern).test(href)),
  );
}

function inlineData(url: string): LanguageModelV4FilePart | undefined {
  const match = dataUrl.exec(url);
  return match ? { type: 'file', mediaType: match[1]!.toLowerCase(), data: { type: 'data', data: url.slice(match[0].length) } } : undefined;
}

function refused(where: string, why: string): ProviderError {
  return new ProviderError('invalid_request', `${where} ${why}`);
}
