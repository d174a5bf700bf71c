import type { Gateway, GatewayOptions } from './gateway.ts';
import type { Target } from './processes.ts';
import type { Row } from './row.ts';

/** What a measurement works with. */
export interface Bench {
  /** All of it, instead of the quick form. */
  readonly full: boolean;
  /** Turns of baseline and gateway, of whose ratios the median is quoted. */
  readonly rounds: number;
  /** Seconds that one turn counts. */
  readonly seconds: number;
  readonly upstream: Target;
  readonly baseline: Target;
  /** Ours, or that which is measured the same way. */
  readonly gateway: Target;
  add(row: Row): void;
  /** The folder of another build, to compare with. */
  readonly before?: string | undefined;
  /** A gateway that has not worked yet, and is stopped by the caller. */
  freshGateway(options?: GatewayOptions): Promise<Gateway>;
  /** The same, the baseline. */
  freshBaseline(): Promise<Target>;
  /** A pass-through with the framework of that name, which is stopped by the caller. */
  floor(kind: 'http' | 'fastify' | 'nest'): Promise<Target>;
}

export interface Measurement {
  /** What `--only` is held against. */
  readonly name: string;
  /** It needs a process of ours: left out where another gateway is measured. */
  readonly oursOnly?: boolean;
  /** Left out of the quick form. */
  readonly fullOnly?: boolean;
  /** It works with processes of its own alone, for which nobody need warm the others up. */
  readonly ownProcesses?: boolean;
  /** The first seconds of its load, before any measurement has run. */
  first?(bench: Bench): Promise<void>;
  run(bench: Bench): Promise<void>;
}
