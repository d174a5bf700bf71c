import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { ProviderFigures } from '../providers/kit/provider-metrics.js';
import { Metrics } from './metrics.js';
import type { Distribution, Sums } from './series.js';

/** Names of metrics of providers, all together. */
const MAX_NAMES = 100;

const nameRule = /^[a-z][a-z0-9_]{0,59}$/;

/** Shows the figures of providers as metrics of the gateway. Further names than 100 are not shown. */
@Injectable()
export class ModuleFigures extends ProviderFigures {
  readonly #counters = new Map<string, Sums>();
  readonly #times = new Map<string, Distribution>();
  readonly #levels = new Map<string, Gauge>();

  constructor(private readonly metrics: Metrics) {
    super();
  }

  count(provider: string, name: string, by: number): void {
    if (!isAmount(by)) throw new TypeError('a counter goes up by a number');
    this.#series(this.#counters, name, () => this.metrics.counter(`provider_${name}_total`, helpOf(name), ['provider']))?.add(by, provider);
  }

  observe(provider: string, name: string, seconds: number): void {
    if (!isAmount(seconds)) throw new TypeError('a time is a number of seconds');
    const make = (): Distribution => this.metrics.histogram(`provider_${name}_seconds`, helpOf(name), ['provider']);
    this.#series(this.#times, name, make)?.observe(seconds, provider);
  }

  set(provider: string, name: string, value: number): void {
    const make = (): Gauge =>
      new Gauge({
        name: `switchyard_provider_${name}`,
        help: helpOf(name),
        labelNames: ['provider'],
        registers: [this.metrics.registry],
      });
    this.#series(this.#levels, name, make)?.set({ provider }, value);
  }

  forget(provider: string): void {
    for (const gauge of this.#levels.values()) gauge.remove({ provider });
  }

  #series<T>(all: Map<string, T>, name: string, make: () => T): T | undefined {
    const known = all.get(name);
    if (known) return known;
    if (!nameRule.test(name)) throw new TypeError('the name of a metric has lower-case letters, digits and underscores, at most 60');
    if (this.#counters.size + this.#times.size + this.#levels.size >= MAX_NAMES) return undefined;
    const series = make();
    all.set(name, series);
    return series;
  }
}

/** One NaN would stay in a sum for ever. */
function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function helpOf(name: string): string {
  return `What provider modules report as ${name}`;
}
