import type { OutputItem } from '../../wire/response.js';
import type { GrowingText, OutputSteps } from './growing-text.js';

/** How events name an item. */
export type ItemPlace = { readonly item_id: string; readonly output_index: number };

/** The items of an answer in the order in which they begin, and whoever is told of each step. */
export class OutputList {
  readonly items: OutputItem[] = [];

  constructor(
    private readonly requestId: string,
    private readonly steps: OutputSteps,
  ) {}

  begin<Item extends OutputItem>(item: Item): Item {
    this.items.push(item);
    this.step('response.output_item.added', { output_index: this.items.length - 1, item });
    return item;
  }

  end(item: OutputItem, status: 'completed' | 'incomplete'): void {
    item.status = status;
    this.done(item);
  }

  done(item: OutputItem): void {
    this.step('response.output_item.done', { output_index: this.items.indexOf(item), item });
  }

  /** The id of the next item. */
  nextId(prefix: string): string {
    return `${prefix}_${this.requestId}_${this.items.length}`;
  }

  placeOf(item: OutputItem): ItemPlace {
    return { item_id: item.id, output_index: this.items.indexOf(item) };
  }

  step(type: string, members: Readonly<Record<string, unknown>>): void {
    this.steps.step(type, members);
  }

  grow(text: GrowingText, delta: string): void {
    text.add(delta);
    this.steps.delta(text, delta);
  }
}
