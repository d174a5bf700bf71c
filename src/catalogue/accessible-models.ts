import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ModelAccess } from '../common/access/model-access.js';
import { accessibleModel } from './accessible-model.js';
import type { CatalogueModel } from './catalogue-model.js';

type Models = ReadonlyMap<string, CatalogueModel>;
type List = readonly CatalogueModel[];

/** Names of models that are compared with names and patterns of rules in one turn of the event loop. */
const A_TURN = 50_000;
/** Rules whose lists are remembered. */
const REMEMBERED = 100;

/**
 * The lists of the models that somebody may use, of one state of the catalogue. Those of the usual rules are made at
 * once; those of many patterns one after the other, a part in each turn of the event loop.
 */
export class AccessibleModels {
  readonly #lists = new Map<ModelAccess, List | Promise<List>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly models: Models) {}

  of(access: ModelAccess): List | Promise<List> {
    const list = this.#lists.get(access) ?? this.#make(access);
    this.#lists.delete(access);
    this.#lists.set(access, list);
    if (this.#lists.size > REMEMBERED) this.#lists.delete(this.#lists.keys().next().value!);
    return list;
  }

  #make(access: ModelAccess): List | Promise<List> {
    const all = [...this.models.values()];
    const part = Math.max(1, Math.floor(A_TURN / Math.max(1, access.size)));
    if (all.length <= part) return accessible(all, access);
    const list = this.#last.then(() => inParts(all, access, part));
    this.#last = list;
    return list;
  }
}

function accessible(models: List, access: ModelAccess): CatalogueModel[] {
  return models.flatMap((model) => accessibleModel(model, access) ?? []);
}

async function inParts(all: List, access: ModelAccess, part: number): Promise<List> {
  const list: CatalogueModel[] = [];
  for (let from = 0; from < all.length; from += part) {
    await nextTurn();
    list.push(...accessible(all.slice(from, from + part), access));
  }
  return list;
}
