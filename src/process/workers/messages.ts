import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Config } from '../../config/config.schema.js';

/** All metrics of one process, as prom-client exports them. */
export type Figures = Omit<MetricObjectWithValues<MetricValue<string>>, 'collect'>[];

/** What a process that serves tells the one that prints the startup banner. */
export interface Listening {
  /** Base URL, with /v1. */
  readonly address: string;
  /** Base URL of the administration, where it has a port of its own. */
  readonly adminAddress?: string | undefined;
  /** Base URL of the pages: /dashboard is under it. */
  readonly pages: string;
  /** Nobody can sign in yet. */
  readonly nobody: boolean;
  /** Their ids. */
  readonly providers: readonly string[];
}

/** What a worker serves with. */
export interface Served {
  readonly config: Config;
  /** As `settingSources`. */
  readonly sources: readonly (readonly [name: string, source: string])[];
}

export type ToWorker =
  /** The first message to a worker. */
  | ({ readonly kind: 'serve' } & Served)
  /**
   * Another worker serves in its place: it accepts no new connections, and ends after its last request, however long
   * that takes.
   */
  | { readonly kind: 'leave' }
  /** The gateway ends: the worker ends within the drain timeout. */
  | { readonly kind: 'stop' }
  /** The worker is asked for its figures. */
  | { readonly kind: 'report'; readonly number: number }
  /** The answer to a worker that asked for the page of all workers. */
  | { readonly kind: 'page'; readonly number: number; readonly text: string };

export type ToPrimary =
  /** The worker serves. */
  | ({ readonly kind: 'ready' } & Listening)
  /** Answers `report` with the same number; without a number it is the worker's last message. */
  | { readonly kind: 'figures'; readonly figures: Figures; readonly number?: number }
  /** The worker asks for the page of all workers. */
  | { readonly kind: 'page'; readonly number: number };
