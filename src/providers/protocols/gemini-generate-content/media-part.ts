import { copyMember, hasText } from '../../../wire/members.js';
import type { ContentPart } from '../../../wire/chat-completion.js';
import { ProviderError } from '../../contract/provider-error.js';
import { dataUrlAt, withData } from '../../translation/data-url.js';
import { fileAddress, fileOfPart } from '../../translation/file-of-part.js';
import type { Blob, Part } from './wire.js';
import { ownOf } from '../../../wire/own-members.js';

const dataUrl = /^data:([^;,]+)(?:;[^,]*)?;base64,$/i;

const typeByExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
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
      return imagePart(part.image_url, where);
    case 'input_audio': {
      const audio = (part['input_audio'] ?? {}) as { format?: unknown };
      const { format } = audio;
      if (!hasText(audio, 'data') || typeof format !== 'string') throw refused(where, 'needs data and format');
      const inlineData: Blob = { mimeType: `audio/${format}`, data: '' };
      copyMember(audio, 'data', inlineData);
      return { inlineData };
    }
    case 'file':
    case 'document_url':
    case 'file_url':
      return documentPart(fileOfPart(part) ?? {}, where);
    default:
      throw refused(where, `has the type '${part.type.slice(0, 50)}', which this model does not take`);
  }
}

/** @returns undefined where the member is no data: URL in base64 */
export function blobAt(holder: object, name: string): Blob | undefined {
  const url = dataUrlAt(holder, name);
  const match = url && dataUrl.exec(url.head);
  return match ? withData({ mimeType: match[1]!.toLowerCase(), data: '' }, url) : undefined;
}

function imagePart(image: ContentPart['image_url'], where: string): Part {
  const url = image && dataUrlAt(image, 'url');
  if (!url) throw refused(where, 'has no image_url.url');
  if (url.head.startsWith('data:')) {
    const inlineData = blobAt(image, 'url');
    if (!inlineData) throw refused(where, 'has a data: URL that is not base64');
    return { inlineData };
  }
  const address = URL.parse(image.url);
  if (!address || !/^https?:$/.test(address.protocol) || ownFiles.test(address.hostname)) {
    throw refused(where, 'has an image_url that is neither http(s) nor a data: URL');
  }
  const mimeType = typeOfPath(address.href);
  if (!mimeType?.startsWith('image/')) {
    throw refused(
      where,
      'has an image_url whose path does not end in .png, .jpg, .webp, .gif, .heic or .heif; send the image as a data: URL',
    );
  }
  return { fileData: { mimeType, fileUri: address.href } };
}

/** A file at an address whose path tells no type is taken to be a PDF, as all formats have it. */
function documentPart(file: object, where: string): Part {
  const fileUri = fileAddress(file);
  if (fileUri !== undefined && !ownFiles.test(URL.parse(fileUri)?.hostname ?? ''))
    return { fileData: { mimeType: typeOfPath(fileUri) ?? 'application/pdf', fileUri } };
  const inlineData = blobAt(file, 'file_data');
  if (!inlineData) throw refused(where, 'needs an http(s) address in file_url or a data: URL in base64 in file_data');
  return { inlineData };
}

function typeOfPath(address: string): string | undefined {
  return ownOf(typeByExtension, /\.(\w+)$/.exec(URL.parse(address)?.pathname ?? '')?.[1]?.toLowerCase());
}

function refused(where: string, why: string): ProviderError {
  return new ProviderError('invalid_request', `${where} ${why}`);
}
