import type { ReasoningItem } from '../../wire/response.js';
import { GrowingText } from './growing-text.js';
import type { ItemPlace, OutputList } from './output-list.js';

/** How reasoning is shown: the types of its parts, and of the events of a part and of its text. */
const forms = {
  summary: { type: 'summary_text', index: 'summary_index', part: 'reasoning_summary_part', text: 'reasoning_summary_text' },
  content: { type: 'reasoning_text', index: 'content_index', part: 'content_part', text: 'reasoning_text' },
} as const;

/** The item of the reasoning that is under way: texts, of which one is open at a time. */
export class ReasoningOutput {
  #item: ReasoningItem | undefined;
  /** That of the part at the end of the item, while it is open. */
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

  begin(): this {
    this.#open();
    return this;
  }

  add(delta: string): void {
    this.list.grow((this.#text ??= this.#beginPart(this.#open())), delta);
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

  /** What follows is another part. */
  endPart(): void {
    if (!this.#item || !this.#text) return;
    const { type: _type, part, text } = this.#form;
    const told = this.#partsOf(this.#item).at(-1)!;
    const place = this.#placeOf(this.#item);
    this.#text = undefined;
    this.list.step(`response.${text}.done`, { ...place, text: told.text });
    this.list.step(`response.${part}.done`, { ...place, part: told });
  }

  end(status: 'completed' | 'incomplete'): void {
    const item = this.#item;
    if (!item) return;
    this.endPart();
    this.#item = undefined;
    this.list.end(item, status);
  }

  get #form() {
    return forms[this.summary ? 'summary' : 'content'];
  }

  #open(): ReasoningItem {
    return (this.#item ??= this.list.begin<ReasoningItem>({
      id: this.list.nextId('rs'),
      type: 'reasoning',
      status: 'in_progress',
      summary: [],
    }));
  }

  #beginPart(item: ReasoningItem): GrowingText {
    const { type, part: kind, text } = this.#form;
    const parts = this.#partsOf(item);
    if (parts.length > 0) this.list.count();
    const part = { type, text: '' };
    parts.push(part);
    const place = this.#placeOf(item);
    this.list.step(`response.${kind}.added`, { ...place, part });
    return new GrowingText(`response.${text}.delta`, place, (delta) => (part.text += delta));
  }

  #partsOf(item: ReasoningItem): { type: 'summary_text' | 'reasoning_text'; text: string }[] {
    return this.summary ? item.summary : (item.content ??= []);
  }

  #placeOf(item: ReasoningItem): ItemPlace & Readonly<Record<string, unknown>> {
    return { ...this.list.placeOf(item), [this.#form.index]: this.#partsOf(item).length - 1 };
  }
}
