import { copyMember, hasSomeText, type Member, putJoined } from '../../wire/members.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { ProviderError } from '../contract/provider-error.js';
import { dataUrlAt, putData } from '../translation/data-url.js';
import { partsOf } from '../protocols/parts-of.js';
import type { OllamaMessage } from './wire.js';

/** What comes before the data of a data: URL in base64. */
const dataUrl = /^data:[^,]*;base64,$/i;

/**
 * Sets the content of a message: its texts, joined by line ends, and its images and sounds in base64. The vendor reads
 * no addresses, and the gateway fetches none.
 * @throws ProviderError invalid_request
 */
export function addContent(message: Message, where: string, to: OllamaMessage): void {
  const texts: Member[] = [];
  const images: string[] = [];
  for (const [index, part] of partsOf(message).entries()) {
    if (part.type === 'text' || part.type === 'refusal') texts.push([part, part.type]);
    else addMedia(part, `${where}.content[${index}]`, images);
  }
  putJoined(to, 'content', texts, '\n');
  if (images.length > 0) to.images = images;
}

function addMedia(part: ContentPart, where: string, images: string[]): void {
  if (part.type === 'image_url') {
    const url = part.image_url && dataUrlAt(part.image_url, 'url');
    if (!url || !dataUrl.test(url.head))
      throw refused(where, 'has an image that this model does not read: send it as a data: URL in base64');
    return putData(images, `${images.length}`, url);
  }
  const audio = part.type === 'input_audio' && isObject(part['input_audio']) ? part['input_audio'] : {};
  if (!hasSomeText(audio, 'data')) throw refused(where, `has the type '${part.type.slice(0, 50)}', which this model does not take`);
  copyMember(audio, 'data', images, `${images.length}`);
}

function refused(where: string, why: string): ProviderError {
  return new ProviderError('invalid_request', `${where} ${why}`);
}
