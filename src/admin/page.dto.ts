import { Matches } from '../common/validation/class-validator.js';
import type { FindQuery, Page, PageQuery, SearchQuery } from '../database/pages.js';
import { IsCount, IsSeparated, IsText, MayBeAbsent } from './fields.js';

/** The query of every list. */
export class PageDto implements PageQuery {
  /** At most so many. */
  @IsCount(1, 200)
  limit = 50;

  /** `next` of the page before. */
  @MayBeAbsent(IsText(1_100, 1))
  after?: string;
}

/** The query of a list that can be searched. */
export class SearchDto extends PageDto implements SearchQuery {
  /** Only those whose name or id has this in it; upper and lower case are the same. */
  @MayBeAbsent(IsText(200, 1))
  search?: string;
}

/** The query of a list in which what other answers name by its id is found too. */
export class FindDto extends SearchDto implements FindQuery {
  /** Only those with these ids, with commas between. */
  @MayBeAbsent(IsSeparated(200, Matches(/^[^\0]{1,256}$/, { each: true, message: 'ids must be ids, with commas between' })))
  ids?: string[];
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
