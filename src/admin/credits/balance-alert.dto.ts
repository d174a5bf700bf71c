import { IsText } from '../fields.js';

export class SetBalanceAlertDto {
  /** Credits above 0, as a decimal text. */
  @IsText(40, 1)
  low_balance_below: string;
}

/** Whether somebody is told by mail of an account's low balances. */
export class BalanceAlertView {
  /** Where messages go. */
  email: string;
  /** Credits below which a balance is low; null where nothing is mailed. */
  low_balance_below: string | null;
  /** Whether the gateway sends mail at all. */
  mail_configured: boolean;
}
