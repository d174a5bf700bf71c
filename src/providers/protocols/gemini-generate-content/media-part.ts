import type { ContentPart } from '../../../wire/chat-completion.js';
import { ProviderError } from '../../provider-error.js';
import type { Blob, Part } from './wire.js';

const dataUrl = /^data:([^;,]+)(?:;[^,]*)?;base64,/i;

const typeByExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
};

/**
 * The host of files that were uploaded with the key of our account. A client that names one would read it with our
 * rights.
 */
const ownFiles = /(^|\.)generativelanguage\.googleapis\.com\.?$/;

/**
 * Converts an image, sound or file of a message. The gateway fetches nothing: Google is given the address.
 * @throws ProviderError invalid_request
 */
export function mediaPart(part: ContentPart, where: string): Part {
  switch (part.type) {
    case 'image_url':
      return imagePart(part.image_url?.url, where);
    case 'input_audio': {
      const { data, format } = (part['input_audio'] ?? {}) as { data?: unknown; format?: unknown };
      if (typeof data !== 'string' || typeof format !== 'string') throw refused(where, 'needs data and format');
      return { inlineData: { mimeType: `audio/${format}`, data } };
    }
    case 'file': {
      const { file_data } = (part['file'] ?? {}) as { file_data?: unknown };
      const inlineData = typeof file_data === 'string' ? blobOf(file_data) : undefined;
      if (!inlineData) throw refused(where, 'needs file_data as a data: URL in base64');
      return { inlineData };
    }
    default:
      throw refused(where, `has the type '${part.type.slice(0, 50)}', which this model does not take`);
  }
}

/** @returns undefined where the text is not a data: URL in base64 */
export function blobOf(url: string): Blob | undefined {
  const match = dataUrl.exec(url);
  return match ? { mimeType: match[1]!.toLowerCase(), data: url.slice(match[0].length) } : undefined;
}

function imagePart(url: unknown, where: string): Part {
  if (typeof url !== 'string') throw refused(where, 'has no image_url.url');
  if (url.startsWith('data:')) {
    const inlineData = blobOf(url);
    if (!inlineData) throw refused(where, 'has a data: URL that is not base64');
    return { inlineData };
  }
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol) || ownFiles.test(address.hostname)) {
    throw refused(where, 'has an image_url that is neither http(s) nor a data: URL');
  }
  const mimeType = typeByExtension[/\.(\w+)$/.exec(address.pathname)?.[1]?.toLowerCase() ?? ''];
  if (!mimeType) {
    throw refused(
      where,
      'has an image_url whose path does not end in .png, .jpg, .webp, .gif, .heic or .heif; send the image as a data: URL',
    );
  }
  return { fileData: { mimeType, fileUri: address.href } };
}

function refused(where: string, why: string): ProviderError {
  return new ProviderError('invalid_request', `${where} ${why}`);
}
