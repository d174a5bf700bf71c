import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn } from '../../common/class-validator.js';
import { type NamedDimension, usageDimensions } from '../../billing/usage-report.js';
import type { UsageView } from '../../billing/usage-view.js';
import { IsTime, MayBeAbsent } from '../fields.js';
import { RequestsOfDto } from '../requests/request.dto.js';

/** Which usage is meant. */
export class ChargesQueryDto extends RequestsOfDto {
  /** Only from this time on. */
  @MayBeAbsent()
  @IsTime()
  since?: string;

  /** Only before this time. */
  @MayBeAbsent()
  @IsTime()
  until?: string;
}

export class UsageQueryDto extends ChargesQueryDto {
  /** What is summed by, with commas between. */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsArray()
  @ArrayMaxSize(usageDimensions.length)
  @IsIn(usageDimensions, { each: true })
  by: NamedDimension[] = ['day', 'model'];
}

export class UsageListView {
  data: UsageView[];
}
