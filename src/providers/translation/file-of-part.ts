import { copyMember, hasSomeText } from '../../wire/members.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { ownOf } from '../../wire/own-members.js';
import { dataUrlAt } from './data-url.js';

/** Parts that hold a file in the words of vendors, and the member that has its name. */
const named: Readonly<Record<string, string>> = { document_url: 'document_name', file_url: 'file_name' };

/**
 * The file of a part as the wire format has it, with `file_data` and `filename`, whose data may be an address too.
 * @returns undefined where the part holds none
 */
export function fileOfPart(part: ContentPart): object | undefined {
  const { type } = part;
  const name = ownOf(named, type);
  if (name === undefined) return type === 'file' && isObject(part['file']) ? part['file'] : undefined;
  const [holder, member] = isObject(part[type]) ? [part[type], 'url'] : [part, type];
  const file = {};
  copyMember(holder, member, file, 'file_data');
  if (hasSomeText(part, name)) copyMember(part, name, file, 'filename');
  return file;
}

/** The web address of a file, which clients write in either member; undefined where it has none. */
export function fileAddress(file: object): string | undefined {
  const name = (['file_url', 'file_data'] as const).find((one) => /^https?:/i.test(dataUrlAt(file, one)?.head ?? ''));
  return name && (file as Record<string, string>)[name];
}
