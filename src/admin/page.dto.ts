import type { Page, PageQuery } from '../database/pages.js';
import { IsCount, IsText, MayBeAbsent } from './fields.js';

/** The query of every list. */
export class PageDto implements PageQuery {
  /** At most so many. */
  @IsCount(1, 200)
  limit = 50;

  /** `next` of the page before. */
  @MayBeAbsent()
  @IsText(1_100, 1)
  after?: string;
}

/** One page of a list. */
export interface PageView<T> {
  readonly data: readonly T[];
  /** What `after` of the next page is; null where this is the last one. */
  readonly next: string | null;
}

export function pageView<T, V>({ data, next }: Page<T>, view: (one: T) => V): PageView<V> {
  return { data: data.map(view), next };
}
