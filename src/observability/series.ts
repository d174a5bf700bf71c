import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';

type Labels = readonly (string | number)[];

/**
 * Keeps a cell for each combination of label values, and finds it without allocating anything. prom-client's own lookup
 * takes 3 % of the time of a request.
 */
class Combinations<Cell> {
  readonly all: { readonly values: Labels; readonly cell: Cell }[] = [];
  readonly #tree = new Map<string | number | undefined, unknown>();

  constructor(private readonly create: () => Cell) {}

  of(values: Labels): Cell {
    let branch = this.#tree;
    const last = values.length - 1;
    for (let index = 0; index < last; index++) {
      let next = branch.get(values[index]) as typeof branch | undefined;
      if (!next) branch.set(values[index], (next = new Map()));
      branch = next;
    }
    return (branch.get(values[last]) as Cell | undefined) ?? this.#add(branch, values);
  }

  #add(branch: Map<string | number | undefined, unknown>, values: Labels): Cell {
    const cell = this.create();
    branch.set(values.at(-1), cell);
    this.all.push({ values: [...values], cell });
    return cell;
  }
}

/** A metric in the form in which prom-client's registry reads it. */
abstract class Series<Value> {
  /** What the figures of several processes come to. */
  readonly aggregator: 'sum' | 'max' = 'sum';
  protected abstract readonly type: string;

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly labelNames: readonly string[],
  ) {}

  protected abstract values(): Value[];

  async get(): Promise<MetricObjectWithValues<MetricValue<string>>> {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: this.values() } as unknown as MetricObjectWithValues<MetricValue<string>>;
  }

  protected labels(values: Labels): Record<string, string | number> {
    return Object.fromEntries(this.labelNames.map((label, index) => [label, values[index]!]));
  }
}

/** A counter with labels. */
export class Sums extends Series<MetricValue<string>> {
  protected readonly type = 'counter';
  readonly #sums = new Combinations(() => ({ sum: 0 }));

  add(amount: number, ...labels: Labels): void {
    this.#sums.of(labels).sum += amount;
  }

  protected values(): MetricValue<string>[] {
    return this.#sums.all.map(({ values, cell: { sum } }) => ({ labels: this.labels(values), value: sum }));
  }
}

/** Label values that are shown of figures that are kept elsewhere. */
const MAX_READ = 1_000;

/** A gauge or counter with one label, or none, whose figures are kept elsewhere and read when the metrics are. */
export class Readings extends Series<MetricValue<string>> {
  constructor(
    protected readonly type: 'gauge' | 'counter',
    name: string,
    help: string,
    labelNames: readonly string[],
    private readonly read: () => Iterable<readonly [label: string, figure: number]>,
    override readonly aggregator: 'sum' | 'max' = 'sum',
  ) {
    super(name, help, labelNames);
  }

  protected values(): MetricValue<string>[] {
    return Array.from(this.read(), ([label, value]) => ({ labels: this.labels([label]), value })).slice(0, MAX_READ);
  }
}

/** A histogram with labels. */
export class Distribution extends Series<MetricValueWithName<string>> {
  protected readonly type = 'histogram';
  /**
   * Of each combination: how many figures are in each bucket (not cumulated), how many exceed all bounds, and their
   * sum.
   */
  readonly #counts: Combinations<Float64Array>;

  constructor(
    name: string,
    help: string,
    labelNames: readonly string[],
    private readonly bounds: readonly number[],
  ) {
    super(name, help, labelNames);
    this.#counts = new Combinations(() => new Float64Array(bounds.length + 2));
    // A metric without labels is shown before anything is counted.
    if (labelNames.length === 0) this.#counts.of([]);
  }

  observe(figure: number, ...labels: Labels): void {
    const { bounds } = this;
    const counts = this.#counts.of(labels);
    let place = 0;
    while (place < bounds.length && figure > bounds[place]!) place++;
    counts[place]!++;
    counts[bounds.length + 1]! += figure;
  }

  protected values(): MetricValueWithName<string>[] {
    return this.#counts.all.flatMap(({ values, cell }) => {
      const labels = this.labels(values);
      let count = 0;
      const buckets = [...this.bounds, '+Inf'].map((le, place) => {
        count += cell[place]!;
        return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count };
      });
      return [
        ...buckets,
        { metricName: `${this.name}_sum`, labels, value: cell[this.bounds.length + 1]! },
        { metricName: `${this.name}_count`, labels, value: count },
      ];
    });
  }
}
