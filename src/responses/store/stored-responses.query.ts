import { Expose, Transform, Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from '../../common/validation/class-validator.js';

// Of several checks that a value fails the lowest is reported, so the type stands below the bounds.

const flags: ReadonlyMap<unknown, unknown> = new Map([
  ['true', true],
  ['false', false],
]);

/** The query of GET /v1/responses/{id}. */
export class ResponseQuery {
  /** Sends the events of the response. */
  @Expose()
  @Transform(({ value }: { value: unknown }) => flags.get(value) ?? value)
  @IsOptional()
  @IsBoolean({ message: 'stream must be true or false' })
  stream = false;

  /** The number of the last event that the client has. Only with `stream`. */
  @Expose()
  @Type(() => Number)
  @IsOptional()
  @Min(0, { message: 'starting_after must be at least 0' })
  @IsInt({ message: 'starting_after must be an integer' })
  starting_after?: number;
}

/** The query of GET /v1/responses/{id}/input_items. */
export class InputItemsQuery {
  /** Items of one page. */
  @Expose()
  @Type(() => Number)
  @Max(100, { message: 'limit must be at most 100' })
  @Min(1, { message: 'limit must be at least 1' })
  @IsInt({ message: 'limit must be an integer' })
  limit = 20;

  /** `desc`: the latest items first. */
  @Expose()
  @IsIn(['asc', 'desc'], { message: 'order must be asc or desc' })
  order: 'asc' | 'desc' = 'desc';

  /** The id of the item after which the page begins, in this order. */
  @Expose()
  @IsOptional()
  @MaxLength(100, { message: 'after must be at most 100 characters' })
  @IsString({ message: 'after must be given once' })
  after?: string;
}
