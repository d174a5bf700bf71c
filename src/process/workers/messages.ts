import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Config } from '../../config/config.schema.js';

/** All metrics of one process. */
export type Figures = Omit<MetricObjectWithValues<MetricValue<string>>, 'collect'>[];

/** Where a worker serves, and what. */
export interface Listening {
  /** Base address with /v1. */
  readonly address: string;
  readonly providers: readonly string[];
}

export type ToWorker =
  /** The first word. */
  | { readonly kind: 'serve'; readonly config: Config }
  /** Another worker has its place: it takes no new connections, and ends when its requests have, however long they take. */
  | { readonly kind: 'leave' }
  /** The gateway ends, within its drain timeout. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'report'; readonly number: number }
  | { readonly kind: 'page'; readonly number: number; readonly text: string };

export type ToPrimary =
  | ({ readonly kind: 'ready' } & Listening)
  /** Without a number: its last word. */
  | { readonly kind: 'figures'; readonly figures: Figures; readonly number?: number }
  /** Somebody asks it for the metrics of all. */
  | { readonly kind: 'page'; readonly number: number };
