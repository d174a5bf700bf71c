import { readFile, stat } from 'node:fs/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ConfigService } from '../../config/config.service.js';
import { knownFacts } from './known-models.js';
import { type Dataset, mergedFacts, type ModelFacts } from './model-facts.js';
import { type ModelsDev, modelsDevFacts } from './models-dev.js';
import { publicPrices } from './public-prices.js';

/** models.dev's own file has 4 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

const nothing: ModelsDev = new Map();

/**
 * Facts about models that a provider's own list does not tell. The file that the operator names counts before the
 * public prices, and these before our own facts.
 */
@Injectable()
export class ModelFactsService {
  readonly #logger = new Logger(ModelFactsService.name);
  #file: { readonly path: string; readonly changed: number; readonly facts: ModelsDev } | undefined;

  constructor(private readonly config: ConfigService) {}

  /**
   * @returns a look-up of one vendor's models by the vendor's names; without `dataset` it knows only what a model can
   * do wherever it runs
   */
  async of(dataset: Dataset | undefined): Promise<(upstreamModel: string) => ModelFacts> {
    if (!dataset) return (name) => mergedFacts(knownFacts(name, false));
    const { genaiPrices = '', modelsDev = '' } = dataset;
    const prices = genaiPrices ? await publicPrices() : undefined;
    const imported = modelsDev ? (await this.#imported()).get(modelsDev) : undefined;
    const now = new Date();
    return (name) => mergedFacts(knownFacts(name, true), prices?.(genaiPrices, name, now), imported?.get(name));
  }

  /**
   * Reads the file that `catalogue.models_dev` names, again only when it has changed. A file that cannot be read is
   * ignored with one warning.
   */
  async #imported(): Promise<ModelsDev> {
    const path = this.config.current.catalogue.models_dev;
    if (path === undefined) return nothing;
    const { mtimeMs: changed = 0, size = 0 } = (await stat(path).catch(() => undefined)) ?? {};
    if (this.#file?.path === path && this.#file.changed === changed) return this.#file.facts;
    let facts = nothing;
    try {
      if (size > MAX_BYTES) throw new RangeError(`larger than ${MAX_BYTES} bytes`);
      facts = modelsDevFacts(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      this.#logger.warn(`catalogue.models_dev is left out: ${(error as Error).message}`);
    }
    this.#file = { path, changed, facts };
    return facts;
  }
}
