import { Roles } from '../../auth/administration/roles.decorator.js';
import { LedgerVerification } from '../../billing/ledger-verification.js';
import { ApiError } from '../../common/api-error.js';
import type { Integer } from '../../wire/integer.js';
import { AdminController, Perform } from '../route.decorators.js';

/** A row of the store that contradicts the other rows. */
export class LedgerFindingView {
  /** Table and key. */
  row: string;
  expected: string;
  found: string;
  /** The law that is broken, in words. */
  law: string;
}

/** What the ledger's rows say of one another, as of one moment. */
export class LedgerVerificationView {
  /** Whether nothing was found. */
  ok: boolean;
  /** The rows that were looked at. */
  balances: Integer;
  transfers: Integer;
  usages: Integer;
  findings: LedgerFindingView[];
}

@AdminController('ledger')
export class LedgerController {
  constructor(private readonly verification: LedgerVerification) {}

  /**
   * Computes every balance anew from its transfers and requests, and compares. It reads the whole store: a second for
   * some 25,000 requests. Whoever asks while it runs gets the same answer.
   * @returns what does not agree, the first 100 of it
   * @throws ApiError 503 where the store is away, the gateway stops, or it has taken ten minutes
   */
  @Perform('verify')
  @Roles('operator')
  async verify(): Promise<LedgerVerificationView> {
    const { findings, ...seen } = await this.verification.run().catch(refuseIfGivenUp);
    return {
      ok: findings.length === 0,
      ...seen,
      findings: findings.map(({ row, expected, found, law }) => ({ row, expected, found, law })),
    };
  }
}

function refuseIfGivenUp(error: unknown): never {
  if (!(error instanceof DOMException)) throw error;
  const message = 'The verification was given up. `switchyard ledger verify` has no limit of time.';
  throw new ApiError('service_unavailable', message, {}, { cause: error });
}
