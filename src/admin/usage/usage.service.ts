import { Injectable } from '@nestjs/common';
import { ChargeReport, type ChargeSums } from '../../billing/charge-report.js';
import { UsageReport, type UsageDimension, type UsageQuery, type UsageSum } from '../../billing/usage-report.js';
import { ModelNames } from '../../catalogue/model-names.js';
import { ApiError } from '../../common/api-error.js';
import { timeOf } from '../fields.js';
import type { ChargesQueryDto, UsageQueryDto } from './usage.dto.js';

const MAX_SUMS = 10_000;

@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageReport,
    private readonly charges: ChargeReport,
    private readonly names: ModelNames,
  ) {}

  /** @param accountId undefined: of all accounts */
  async sums(accountId: string | undefined, { by, ...which }: UsageQueryDto, most = MAX_SUMS): Promise<UsageSum[]> {
    const query = { by: [...new Set(by as UsageDimension[])], limit: most + 1, ...this.#queryOf(accountId, which) };
    const sums = await this.usage.sum(query);
    if (sums.length > most) throw new ApiError('invalid_request', `These are more than ${most} sums. Sum by less, or name a shorter time.`);
    return sums;
  }

  /** @param accountId undefined: of all accounts */
  components(accountId: string | undefined, which: ChargesQueryDto): Promise<ChargeSums> {
    return this.charges.sum(this.#queryOf(accountId, which));
  }

  #queryOf(accountId: string | undefined, { key, project, model, environment, since, until }: ChargesQueryDto): Omit<UsageQuery, 'by'> {
    return {
      accountId,
      projectId: project,
      keyId: key,
      model: model && this.names.modelIdOf(model),
      environment,
      since: timeOf(since) ?? undefined,
      until: timeOf(until) ?? undefined,
    };
  }
}
