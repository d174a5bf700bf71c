import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateBy,
  ValidateNested,
} from '../../common/validation/class-validator.js';
import { instanceOf } from '../../common/validation/instance-of.js';
import type { AllowDeny, ModelRules } from '../../common/access/model-access.js';
import { isAddressRange } from '../../http/requests/address-ranges.js';
import { MayBeAbsent } from '../../http/requests/may-be-absent.js';
import { IsInteger, IsList, IsNumeric } from '../../http/requests/typed-fields.js';
import { validationProblem } from '../../http/requests/validation-problem.js';
import { type KeyOperation, keyOperations } from '../../wire/operations.js';

const MAX_LIST = 200;
const MAX_NAME = 256;
const MAX_RATE = 1_000_000_000;

/** Names in which `*` stands for any characters. */
const Patterns = () => (target: object, property: string) => {
  const each = { each: true };
  MayBeAbsent()(target, property);
  IsList(MAX_LIST, IsString(each), MinLength(1, each), MaxLength(MAX_NAME, each))(target, property);
};

class AllowDenyDto implements AllowDeny {
  @Patterns()
  allow?: string[];

  @Patterns()
  deny?: string[];
}

const Credits = () => (target: object, property: string) => {
  MayBeAbsent()(target, property);
  Matches(/^\d{1,9}(\.\d{1,9})?$/, { message: '$property must be credits as a decimal text of at most 9 decimals' })(target, property);
};

/** Credits that may be spent in a day or a month (UTC) or ever. */
export class BudgetsDto {
  @Credits()
  day?: string;

  @Credits()
  month?: string;

  @Credits()
  ever?: string;
}

/**
 * The rules of a key, a project or an account. A request must keep the rules of all three; what is absent restricts
 * nothing.
 */
export class RulesDto implements ModelRules {
  /** Ids of the catalogue, such as `gpt-5*`. Others do not exist for the key. */
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => AllowDenyDto)
  models?: AllowDenyDto;

  /** Ids of providers. Offers of others are not used, and models without another offer do not exist for the key. */
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => AllowDenyDto)
  providers?: AllowDenyDto;

  @MayBeAbsent()
  @IsList(keyOperations.length, IsIn(keyOperations, { each: true }))
  operations?: KeyOperation[];

  /** Where clients may be: addresses and ranges such as `10.0.0.0/8`. */
  @MayBeAbsent()
  @IsList(
    MAX_LIST,
    ValidateBy(
      {
        name: 'isAddressRange',
        validator: { validate: isAddressRange, defaultMessage: () => '$property must be addresses or ranges such as 10.0.0.0/8' },
      },
      { each: true },
    ),
  )
  addresses?: string[];

  @MayBeAbsent()
  @IsInteger(1, MAX_RATE)
  requests_per_minute?: number;

  @MayBeAbsent()
  @IsInteger(1, MAX_RATE)
  tokens_per_minute?: number;

  /** How many seconds' worth of requests, or of tokens, may come at once. Absent: 10. */
  @MayBeAbsent()
  @IsNumeric(1, 3_600)
  burst_seconds?: number;

  /** Requests that are answered at the same time. */
  @MayBeAbsent()
  @IsInteger(1, MAX_RATE)
  concurrency?: number;

  /** Whether a `max_tokens` beyond a model's is lowered to it. Absent: as the model says. */
  @MayBeAbsent()
  @IsBoolean()
  lower_max_tokens?: boolean;

  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => BudgetsDto)
  budgets?: BudgetsDto;
}

/**
 * Checks rules that come from outside.
 * @throws RangeError with the path of the first wrong field and what is wrong with it
 */
export function parseRules(value: unknown): RulesDto {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RangeError('rules must be a JSON object');
  const { instance, problems } = instanceOf(RulesDto, value);
  if (problems[0]) throw new RangeError(validationProblem(problems[0]));
  return instance;
}

/**
 * Rules as the store has them; null where there are none.
 * @throws RangeError as parseRules
 */
export function rulesText(rules: RulesDto): string | null {
  const text = JSON.stringify(parseRules(rules));
  return text === '{}' ? null : text;
}
