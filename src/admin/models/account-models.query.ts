import { IsIn } from '../../common/validation/class-validator.js';
import { type Page, pageInMemory } from '../../database/pages.js';
import { IsFlag, IsSeparated, MayBeAbsent } from '../fields.js';
import { SearchDto } from '../page.dto.js';
import { type Capabilities, capabilityNames } from '../../wire/model.js';
import type { AccountModelView } from './account-model.dto.js';

type Order = 'id' | 'context' | 'prompt' | 'completion' | 'latency' | 'speed' | 'uptime';

/** What models are sorted by; undefined comes last, in either direction. */
const valueOf: Record<Order, (model: AccountModelView) => number | string | undefined> = {
  id: ({ id }) => id,
  context: ({ context_length }) => context_length,
  prompt: ({ priced, pricing }) => (priced ? pricing.prompt : undefined),
  completion: ({ priced, pricing }) => (priced ? pricing.completion : undefined),
  latency: ({ first_token_ms }) => first_token_ms ?? undefined,
  speed: ({ performance }) => performance.avg_tokens_per_second || undefined,
  uptime: ({ performance }) => performance.uptime_percentage,
};

/** Which models of an account are listed, in which order. */
export class AccountModelsDto extends SearchDto {
  /** Only those with all of these, with commas between. */
  @MayBeAbsent(IsSeparated(capabilityNames.length, IsIn(capabilityNames, { each: true })))
  capabilities?: (keyof Capabilities)[];

  /** Only those that are in service. */
  @IsFlag()
  active = false;

  /** Those that lack it come last. */
  @IsIn(Object.keys(valueOf))
  order: Order = 'id';

  @IsFlag()
  descending = false;
}

/**
 * The models that are wanted, in the wanted order. Their ids and those of their providers are searched.
 * @param models in the order of their ids
 * @throws RangeError where the cursor is none of such a list
 */
export function pageOfModels(models: readonly AccountModelView[], query: AccountModelsDto): Page<AccountModelView> {
  const { capabilities: wanted = [], active, order, descending } = query;
  const able = models.filter((model) => (!active || model.status.active) && wanted.every((capability) => model.capabilities[capability]));
  const value = valueOf[order];
  const sign = descending ? -1 : 1;
  const sorted = able.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === b) return 0;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return a < b ? -sign : sign;
  });
  // Figures change from page to page: there the next page begins at its place.
  const places = new Map(sorted.map((model, place) => [model, order === 'id' && !descending ? model.id : String(place).padStart(9, '0')]));
  return pageInMemory(
    sorted,
    query,
    (model) => places.get(model)!,
    ({ id, providers }) => `${id} ${providers.join(' ')}`,
  );
}
