import { jsonBytes, memberBytes } from '../../json/json-bytes.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { type Modality, modalityOfData } from '../../wire/media-part.js';

/** Members that hold media as an address or as data. */
const payloads: ReadonlySet<string> = new Set(['url', 'data', 'file_data', 'image_url', 'audio_url', 'video_url', 'file_url']);

/** Characters of a text in which its media type is found. */
const START = 128;

/**
 * The upper bound of the tokens of a part that holds media: its ceiling, by what it says to hold or what its data is,
 * and the bytes of all else in it. Bytes of data that is media are no text, and do not count.
 * @param ceiling tokens of one part at most
 */
export function mediaBound(part: ContentPart, told: Modality, ceiling: (modality: Modality) => number): number {
  let bound = 0;
  let held: Modality | 'text' | undefined;
  const member = (holder: object, name: string): void => {
    const start = payloads.has(name) ? startOf(holder, name) : undefined;
    const kind = start === undefined ? undefined : (modalityOfData(start) ?? (told === 'audio' && name === 'data' ? told : undefined));
    if (kind === undefined || kind === 'text') bound += memberBytes(holder, name);
    else bound += jsonBytes(name) + START;
    held ??= kind;
  };
  for (const name in part) {
    if (name === 'type') continue;
    const value = part[name];
    if (isObject(value)) for (const inner in value) member(value, inner);
    else member(part, name);
  }
  // Data that is text is bounded by its bytes.
  return held === 'text' && told === 'file'
    ? bound
    : bound + ceiling(held === undefined || held === 'text' ? told : dearer(held, told, ceiling));
}

/** A vendor may go by what a part says to hold, or by what its data is. */
function dearer(a: Modality, b: Modality, ceiling: (modality: Modality) => number): Modality {
  return a === b || ceiling(a) >= ceiling(b) ? a : b;
}

/** The beginning of a text; undefined where the member is none. */
function startOf(holder: object, name: string): string | undefined {
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' ? value.slice(0, START) : undefined;
}
