import { requireWithin } from '../../providers/translation/answer-limits.js';
import type { OutputItem } from '../../wire/response.js';
import type { GrowingText, OutputSteps } from './growing-text.js';
import type { OutputClaim } from './output-claim.js';

/** How events name an item. */
export type ItemPlace = { readonly item_id: string; readonly output_index: number };

/** The items of an answer in the order in which they begin, and whoever is told of each step. */
export class OutputList {
  readonly items: OutputItem[] = [];
  readonly #indexes = new Map<OutputItem, number>();
  #count = 0;

  constructor(
    private readonly requestId: string,
    private readonly claim: OutputClaim,
    private readonly steps: OutputSteps,
  ) {}

  /** @throws as count */
  begin<Item extends OutputItem>(item: Item): Item {
    this.count();
    const output_index = this.items.push(item) - 1;
    this.#indexes.set(item, output_index);
    this.step('response.output_item.added', { output_index, item });
    return item;
  }

  /**
   * Claims one more item, or a further part of one.
   * @throws ProviderError limit_exceeded; ApiError 503 service_unavailable where there is no room
   */
  count(): void {
    requireWithin(++this.#count, 'items');
    this.claim.addItem();
  }

  end(item: OutputItem, status: 'completed' | 'incomplete'): void {
    item.status = status;
    this.done(item);
  }

  done(item: OutputItem): void {
    this.step('response.output_item.done', { output_index: this.#indexes.get(item), item });
  }

  /** The id of the next item. */
  nextId(prefix: string): string {
    return `${prefix}_${this.requestId}_${this.items.length}`;
  }

  placeOf(item: OutputItem): ItemPlace {
    return { item_id: item.id, output_index: this.#indexes.get(item)! };
  }

  clear(): void {
    this.items.length = 0;
    this.#indexes.clear();
  }

  step(type: string, members: Readonly<Record<string, unknown>>): void {
    this.steps.step(type, members);
  }

  grow(text: GrowingText, delta: string): void {
    text.add(delta);
    this.steps.delta(text, delta);
  }
}
