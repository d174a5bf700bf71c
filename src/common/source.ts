import { Observable, type Observer, type Unsubscribable } from 'rxjs';

/**
 * Values for one taker, who is told of an end once and of nothing after it, nor after it has unsubscribed. Every Observable is one; what stands
 * between a provider and its client is plain objects instead, to which rxjs's subscribers would be one more call, and several more objects, each.
 */
export interface Source<T> {
  /** Called once. Values may come before it returns. */
  subscribe(taker: Observer<T>): Unsubscribable;
}

/** A source as rxjs's operators take it. */
export function observe<T>(source: Source<T>): Observable<T> {
  return new Observable((subscriber) => source.subscribe(subscriber));
}
