import { requireWithin } from '../../providers/translation/answer-limits.js';
import type { TokenLogprob } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import type { OutputMessage, OutputRefusal, OutputText, ResponseLogprob, UrlCitation } from '../../wire/response.js';
import { GrowingText } from './growing-text.js';
import type { ItemPlace, OutputList } from './output-list.js';

/** The item of the message that is under way: text and refusals, of which one part is open at a time. */
export class MessageOutput {
  #item: OutputMessage | undefined;
  /** The part at the end of the message, while it is open. */
  #part: GrowingText | undefined;

  constructor(private readonly list: OutputList) {}

  get isOpen(): boolean {
    return this.#item !== undefined;
  }

  get growing(): GrowingText | undefined {
    return this.#part && this.#item?.content.at(-1)?.type === 'output_text' ? this.#part : undefined;
  }

  begin(phase?: OutputMessage['phase']): this {
    const item: OutputMessage = { id: this.list.nextId('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    if (phase) item.phase = phase;
    this.#item = this.list.begin(item);
    return this;
  }

  text(delta: string, tokens: readonly TokenLogprob[] | null | undefined): void {
    const message = this.#item!;
    const part = this.#openPart(message, 'output_text');
    if (!tokens?.length) {
      if (delta) this.list.grow(part, delta);
      return;
    }
    part.add(delta);
    const logprobs = tokens.map((token) => logprobOf(token));
    (message.content.at(-1) as OutputText).logprobs.push(...logprobs);
    if (delta) this.list.step(part.type, { ...part.place, delta, logprobs });
  }

  refuse(delta: string): void {
    this.list.grow(this.#openPart(this.#item!, 'refusal'), delta);
  }

  /** Adds a source to the text that is open. @throws ProviderError limit_exceeded */
  annotate(annotation: unknown): void {
    const cited = citationOf(annotation);
    const part = this.#item?.content.at(-1);
    if (!cited || part?.type !== 'output_text') return;
    const count = part.annotations.push(cited);
    requireWithin(count, 'citations');
    const members = { annotation_index: count - 1, annotation: cited };
    this.list.step('response.output_text.annotation.added', { ...this.#placeOf(this.#item!), ...members });
  }

  /** What follows is another part. */
  endPart(): void {
    if (!this.#item || !this.#part) return;
    const part = this.#item.content.at(-1)!;
    const place = this.#placeOf(this.#item);
    this.#part = undefined;
    if (part.type === 'output_text') this.list.step('response.output_text.done', { ...place, text: part.text, logprobs: part.logprobs });
    else this.list.step('response.refusal.done', { ...place, refusal: part.refusal });
    this.list.step('response.content_part.done', { ...place, part });
  }

  /** A message without anything has a text. */
  end(status: 'completed' | 'incomplete'): void {
    const item = this.#item;
    if (!item) return;
    if (item.content.length === 0) this.#openPart(item, 'output_text');
    this.endPart();
    this.#item = undefined;
    this.list.end(item, status);
  }

  /** Has a part of this type at the end of the message; a new one where the end is another. */
  #openPart(message: OutputMessage, type: 'output_text' | 'refusal'): GrowingText {
    if (this.#part && message.content.at(-1)?.type === type) return this.#part;
    this.endPart();
    if (message.content.length > 0) this.list.count();
    const part: OutputText | OutputRefusal = type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] };
    message.content.push(part);
    const place = this.#placeOf(message);
    this.list.step('response.content_part.added', { ...place, part });
    return (this.#part =
      part.type === 'refusal'
        ? new GrowingText('response.refusal.delta', place, (delta) => (part.refusal += delta))
        : new GrowingText('response.output_text.delta', { ...place, logprobs: [] }, (delta) => (part.text += delta)));
  }

  #placeOf(message: OutputMessage): ItemPlace & { readonly content_index: number } {
    return { ...this.list.placeOf(message), content_index: message.content.length - 1 };
  }
}

function logprobOf({ token, logprob, bytes, top_logprobs }: TokenLogprob): ResponseLogprob {
  const top = top_logprobs.map((one) => ({ token: one.token, logprob: one.logprob, bytes: one.bytes ?? [] }));
  return { token, logprob, bytes: bytes ?? [], top_logprobs: top };
}

/** A source as chat completions name it; undefined for an annotation of another kind. */
function citationOf(annotation: unknown): UrlCitation | undefined {
  const cited = isObject(annotation) && annotation['type'] === 'url_citation' ? annotation['url_citation'] : undefined;
  if (!isObject(cited) || typeof cited['url'] !== 'string') return undefined;
  const { url, title, start_index, end_index } = cited;
  return {
    type: 'url_citation',
    start_index: Number.isSafeInteger(start_index) ? (start_index as number) : 0,
    end_index: Number.isSafeInteger(end_index) ? (end_index as number) : 0,
    title: typeof title === 'string' ? title : '',
    url,
  };
}
