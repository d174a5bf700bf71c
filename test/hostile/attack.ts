import type { Scene } from './scene.ts';

/** What an attack has found out; whatever it does not say is what the runner measures. */
export interface Found {
  /** What the attacker got. */
  readonly got: string;
  /** Nano-credits; without it, what the provider has counted. */
  readonly due?: bigint;
  /** The least and the most of it that may be charged; [0.95, 1] without it. */
  readonly share?: readonly [number, number];
  /** Nano-credits that may be charged at most, where that is another sum than `due`. */
  readonly most?: bigint;
  /** Whatever else broke its bound. */
  readonly broken?: readonly string[];
  /** Bytes on the wire, where the gateway's work and memory have to be in proportion to them. */
  readonly bytes?: number;
}

export interface Attack {
  /** Which part of the gateway's promises it is about. */
  readonly group: string;
  readonly name: string;
  /** Part of the short form. */
  readonly short?: boolean;
  /** Settings that differ from the usual ones. */
  readonly settings?: Readonly<Record<string, object>>;
  /** A process that has done nothing else before. */
  readonly fresh?: boolean;
  /** The model that the bystander shares with the attacker; `shared` without it. */
  readonly neighbour?: string;
  /** The gateway is stopped on purpose: a bystander may fail meanwhile. */
  readonly stops?: boolean;
  /** Milliseconds that the bystander is watched for at least. */
  readonly watch?: number;
  readonly run: (scene: Scene) => Promise<Found>;
}
