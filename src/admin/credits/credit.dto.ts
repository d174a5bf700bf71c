import { IsIn, Matches } from '../../common/validation/class-validator.js';
import { environments, type Environment } from '../../auth/principal.js';
import type { Balance, Transfer } from '../../billing/credit-store.js';
import { formatCredits } from '../../common/prices/credits.js';
import { IsClientId, IsText, isoTime, MayBeAbsent } from '../fields.js';

export class GrantDto {
  /** Repeating a grant under the same id adds nothing. */
  @IsClientId()
  id: string;

  /** Credits above 0, with at most 9 digits before the point and 9 behind it. */
  @Matches(/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/, {
    message: 'amount must be credits above 0 as a decimal text, with at most 9 digits before the point and 9 behind it',
  })
  amount: string;

  @IsIn(environments)
  environment: Environment;

  /** Why. */
  @MayBeAbsent(IsText(500))
  note?: string;
}

/** Credits of an account in one environment. */
export class BalanceView {
  environment: Environment;
  /** All that the account has. */
  balance: string;
  /** For open requests. */
  held: string;
  /** What can be spent. */
  available: string;
}

export class BalancesView {
  data: BalanceView[];
}

/** Credits that an account was given. */
export class TransferView {
  id: string;
  account_id: string;
  environment: Environment;
  amount: string;
  /** `grant` */
  kind: string;
  note: string;
  created_at: string;
}

export function balanceView({ environment, posted, held, available }: Balance): BalanceView {
  return { environment, balance: formatCredits(posted), held: formatCredits(held), available: formatCredits(available) };
}

export function transferView({ id, accountId, environment, amount, kind, note, createdAt }: Transfer): TransferView {
  return { id, account_id: accountId, environment, amount: formatCredits(amount), kind, note, created_at: isoTime(createdAt) };
}
