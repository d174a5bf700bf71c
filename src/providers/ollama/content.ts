import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { ProviderError } from '../provider-error.js';
import { isText } from '../protocols/is-text.js';
import type { OllamaMessage } from './wire.js';

/** The beginning of a data: URL in base64. */
const dataUrl = /^data:[^,]{0,200};base64,/i;

/**
 * The content of a message: its texts, joined by line ends, and its images and sounds in base64. The vendor reads no
 * addresses, and the gateway fetches none.
 * @throws ProviderError invalid_request
 */
export function contentOf({ content }: Message, where: string): Pick<OllamaMessage, 'content' | 'images'> {
  if (!Array.isArray(content)) return { content: content ?? '' };
  const texts: string[] = [];
  const images: string[] = [];
  for (const [index, part] of content.entries()) {
    const text = textOf(part);
    if (text === undefined) images.push(mediaOf(part, `${where}.content[${index}]`));
    else texts.push(text);
  }
  return { content: texts.join('\n'), ...(images.length > 0 && { images }) };
}

function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text ?? '';
  return part.type === 'refusal' ? (part.refusal ?? '') : undefined;
}

function mediaOf(part: ContentPart, where: string): string {
  if (part.type === 'image_url') {
    const url = part.image_url?.url ?? '';
    const [begin] = dataUrl.exec(url) ?? [];
    if (begin === undefined) throw refused(where, 'has an image that this model does not read: send it as a data: URL in base64');
    return url.slice(begin.length);
  }
  const { data } = part.type === 'input_audio' && isObject(part['input_audio']) ? part['input_audio'] : {};
  if (isText(data)) return data;
  throw refused(where, `has the type '${part.type.slice(0, 50)}', which this model does not take`);
}

function refused(where: string, why: string): ProviderError {
  return new ProviderError('invalid_request', `${where} ${why}`);
}
