import { Matches } from '../../common/validation/class-validator.js';
import { usageDimensions } from '../../billing/usage-report.js';
import type { UsageView } from '../../billing/usage-view.js';
import { IsSeparated, IsText, IsTime, MayBeAbsent } from '../fields.js';
import { RequestsOfDto } from '../requests/request.dto.js';

/** Dimensions that one request may sum by. */
const MAX_DIMENSIONS = 8;

const dimension = new RegExp(`^(${usageDimensions.join('|')}|metadata\\.[^\\0]{1,64})$`);

/** Which usage is meant. */
export class ChargesQueryDto extends RequestsOfDto {
  /** Only from this time on. */
  @MayBeAbsent(IsTime())
  since?: string;

  /** Only before this time. */
  @MayBeAbsent(IsTime())
  until?: string;

  /** Id of a project: of the keys that are in it now. */
  @MayBeAbsent(IsText(256, 1))
  project?: string;
}

export class UsageQueryDto extends ChargesQueryDto {
  /**
   * What is summed by, with commas between: `day`, `account`, `project`, `key`, `first_key` (the first of the keys that
   * have replaced one another), `model`, `provider`, `environment`, `outcome`, and `metadata.team` for what keys have in
   * their metadata under `team`.
   * A name with a comma stands in a parameter of its own, beside another `by`.
   */
  @IsSeparated(
    MAX_DIMENSIONS,
    Matches(dimension, { each: true, message: `by must name ${usageDimensions.join(', ')}, or metadata.<name>, with commas between` }),
  )
  by: string[] = ['day', 'model'];
}

export class UsageListView {
  data: UsageView[];
}
