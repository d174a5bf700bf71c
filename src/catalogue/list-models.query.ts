import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength } from '../common/validation/class-validator.js';
import { type Abilities, abilityNames } from '../wire/model.js';

/** The values of the capability filter and their flags: the flags, and the specification's own example words. */
const capabilityWords: ReadonlyMap<unknown, keyof Abilities> = new Map([
  ...abilityNames.map((name) => [name, name] as const),
  ['image', 'vision'],
  ['embedding', 'embeddings'],
]);

const booleanWords: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Replaces the words of a map by their values. Any other value stays as it is, for the validation to refuse it. */
const FromWord = (words: ReadonlyMap<unknown, unknown>): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => words.get(value) ?? value);

/** The query of GET /v1/models/{id}. */
export class ModelQuery {
  /** Tells details of the capabilities and the components of the price. */
  @Expose()
  @FromWord(booleanWords)
  @IsOptional()
  @IsBoolean({ message: 'include_capabilities must be true or false' })
  include_capabilities = false;
}

/** The query of GET /v1/models (specification, Endpoints). A boolean is `true` or `false`; nothing may be repeated. */
export class ListModelsQuery extends ModelQuery {
  /** Only models that this provider offers, by its id. */
  @Expose()
  @IsOptional()
  @MaxLength(200, { message: 'provider must be at most 200 characters' })
  @IsString({ message: 'provider must be given once' })
  provider?: string;

  /** Only models with this capability. `image` means `vision`, and `embedding` means `embeddings`. */
  @Expose()
  @FromWord(capabilityWords)
  @IsOptional()
  @IsIn([...capabilityWords.values()], {
    message: `capability must be one of ${[...capabilityWords.keys()].join(', ')}`,
    context: { schema: { enum: [...capabilityWords.keys()] } },
  })
  capability?: keyof Abilities;

  /** Only models that can be used now. */
  @Expose()
  @FromWord(booleanWords)
  @IsOptional()
  @IsBoolean({ message: 'active_only must be true or false' })
  active_only = true;
}
