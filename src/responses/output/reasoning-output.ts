import type { ReasoningItem } from '../../wire/response.js';
import { GrowingText } from './growing-text.js';
import type { OutputList } from './output-list.js';

/** The item of the reasoning that is under way. */
export class ReasoningOutput {
  #item: ReasoningItem | undefined;
  #text: GrowingText | undefined;

  /** @param summary whether reasoning is shown as the summary that was asked for */
  constructor(
    private readonly list: OutputList,
    private readonly summary: boolean,
  ) {}

  get isOpen(): boolean {
    return this.#item !== undefined;
  }

  get growing(): GrowingText | undefined {
    return this.#text;
  }

  add(delta: string): void {
    this.list.grow((this.#text ??= this.#begin(this.#open())), delta);
  }

  /**
   * Ends the item with what a later request needs to go on with it.
   * @param encrypted undefined where it is not to be shown
   */
  seal(encrypted: string | undefined): void {
    const item = this.#open();
    if (encrypted !== undefined) item.encrypted_content = encrypted;
    this.end('completed');
  }

  end(status: 'completed' | 'incomplete'): void {
    const item = this.#item;
    if (!item) return;
    this.#item = this.#text = undefined;
    const place = this.list.placeOf(item);
    for (const part of item.summary) {
      this.list.step('response.reasoning_summary_text.done', { ...place, summary_index: 0, text: part.text });
      this.list.step('response.reasoning_summary_part.done', { ...place, summary_index: 0, part });
    }
    for (const part of item.content ?? []) {
      this.list.step('response.reasoning_text.done', { ...place, content_index: 0, text: part.text });
      this.list.step('response.content_part.done', { ...place, content_index: 0, part });
    }
    this.list.end(item, status);
  }

  #open(): ReasoningItem {
    return (this.#item ??= this.list.begin<ReasoningItem>({
      id: this.list.nextId('rs'),
      type: 'reasoning',
      status: 'in_progress',
      summary: [],
    }));
  }

  #begin(item: ReasoningItem): GrowingText {
    const place = this.list.placeOf(item);
    if (this.summary) {
      const part = { type: 'summary_text' as const, text: '' };
      item.summary.push(part);
      this.list.step('response.reasoning_summary_part.added', { ...place, summary_index: 0, part });
      return new GrowingText('response.reasoning_summary_text.delta', { ...place, summary_index: 0 }, (delta) => (part.text += delta));
    }
    const part = { type: 'reasoning_text' as const, text: '' };
    item.content = [part];
    this.list.step('response.content_part.added', { ...place, content_index: 0, part });
    return new GrowingText('response.reasoning_text.delta', { ...place, content_index: 0 }, (delta) => (part.text += delta));
  }
}
