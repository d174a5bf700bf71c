import type { ContentPart } from './chat-completion.js';

/** What a part of a message holds whose tokens do not follow from its bytes. */
export type Modality = 'image' | 'audio' | 'video' | 'file';

const byType: ReadonlyMap<string, Modality> = new Map([
  ['image_url', 'image'],
  ['image', 'image'],
  ['input_image', 'image'],
  ['input_audio', 'audio'],
  ['audio_url', 'audio'],
  ['audio', 'audio'],
  ['video_url', 'video'],
  ['input_video', 'video'],
  ['video', 'video'],
  ['file', 'file'],
  ['file_url', 'file'],
  ['input_file', 'file'],
  ['document', 'file'],
  ['document_url', 'file'],
]);

/** Members of a message beside its content in which some servers take media. */
const byMember: ReadonlyMap<string, Modality> = new Map([
  ['image', 'image'],
  ['images', 'image'],
  ['audio', 'audio'],
  ['audios', 'audio'],
  ['video', 'video'],
  ['videos', 'video'],
  ['files', 'file'],
  ['attachments', 'file'],
]);

const textTypes: ReadonlySet<string> = new Set(['text', 'refusal', 'thinking', 'redacted_thinking', 'reference']);

/** What a part of this type holds; `unknown` where the wire format and our vendors' dialects have no such type. */
export function modalityOfType({ type }: ContentPart): Modality | 'text' | 'unknown' {
  return byType.get(type) ?? (textTypes.has(type) ? 'text' : 'unknown');
}

/** Whether a part of this type holds media, and a member of this name names it. */
export function isMediaType(type: string): boolean {
  return byType.has(type);
}

/** What a member of a message holds that is not its content; undefined for text. */
export function modalityOfMember(name: string): Modality | undefined {
  return byMember.get(name);
}

/**
 * What a `data:` URL holds, by its media type.
 * @param start of the URL; a slash in it may be escaped as in JSON
 * @returns undefined where it is not one
 */
export function modalityOfData(start: string): Modality | 'text' | undefined {
  const [, kind, rest] = /^data:(?:\s|\\[nrt])*([\w.+-]*)(\\?\/[\w.+-]+)?/i.exec(start) ?? [];
  if (kind === undefined) return undefined;
  const family = kind.toLowerCase();
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  return family === 'text' || rest === undefined ? 'text' : 'file';
}

const addressMembers: ReadonlySet<string> = new Set([
  'url',
  'uri',
  'image',
  'image_url',
  'audio_url',
  'video_url',
  'file_url',
  'document_url',
  'image_uri',
  'video',
  'path',
]);

/** Whether a text of this name in a part that holds media says where the media is. */
export function isAddressMember(name: string): boolean {
  return addressMembers.has(name);
}
