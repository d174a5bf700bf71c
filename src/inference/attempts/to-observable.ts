import { Observable, type Subscribable } from 'rxjs';

/** A plain source of values as what rxjs's operators take. */
export function toObservable<T>(source: Subscribable<T>): Observable<T> {
  return new Observable((subscriber) => source.subscribe(subscriber));
}
