/** Takes the figures of providers. Observability fills it; where it is absent, nothing is counted. */
export abstract class ProviderFigures {
  /** @throws TypeError where the name is none */
  abstract count(provider: string, name: string, by: number): void;
  abstract observe(provider: string, name: string, seconds: number): void;
  abstract set(provider: string, name: string, value: number): void;
  /** Forgets the levels of a provider that is gone. */
  abstract forget(provider: string): void;
}

/**
 * The metrics of one entry, with the entry's name as their label `provider`. A name has lower-case letters, digits and
 * underscores.
 */
export class ProviderMetrics {
  constructor(
    private readonly id: string,
    private readonly figures: ProviderFigures | undefined,
  ) {}

  /** Adds to `switchyard_provider_<name>_total`. */
  count(name: string, by = 1): void {
    this.figures?.count(this.id, name, by);
  }

  /** Adds a time in seconds to the histogram `switchyard_provider_<name>_seconds`. */
  observe(name: string, seconds: number): void {
    this.figures?.observe(this.id, name, seconds);
  }

  /** Sets the level `switchyard_provider_<name>`. */
  set(name: string, value: number): void {
    this.figures?.set(this.id, name, value);
  }
}
