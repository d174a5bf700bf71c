/** What models are called. */
export abstract class ModelNames {
  /**
   * The id that a model has in records and prices, also of one that nobody offers any more.
   * @param name may be an alias
   */
  abstract modelIdOf(name: string): string;
}
