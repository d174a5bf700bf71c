/** The values of a metric's label, up to a maximum number. Later values count as `other`. */
export class BoundedLabel {
  readonly #values = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size >= this.most) return 'other';
    this.#values.add(value);
    return value;
  }
}
