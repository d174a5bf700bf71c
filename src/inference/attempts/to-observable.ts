import { Observable, type Subscribable } from 'rxjs';

/** Converts a plain Subscribable into an Observable, which rxjs's operators need. */
export function toObservable<T>(source: Subscribable<T>): Observable<T> {
  return new Observable((subscriber) => source.subscribe(subscriber));
}
