/** Values of a metric's label, as many as there is room for; what comes after counts as `other`. */
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
