import { Injectable } from '@nestjs/common';
import { ModelNames } from '../../catalogue/model-names.js';
import { PriceStore } from '../../catalogue/price-store.js';
import type { Page } from '../../database/pages.js';
import { pageOf, rowsToRead } from '../../database/pages.js';
import { Database } from '../../database/database.js';
import { namesOf } from '../../observability/names.js';
import type { ErrorCause, RequestFilter } from '../../observability/request-conditions.js';
import { RequestHistories, type RequestHistory } from '../../observability/request-history.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { isoTime, timeOf } from '../fields.js';
import { found } from '../preconditions.js';
import type { NamesOfRequests, PriceSourceView, RequestFilterDto, RequestsDto, RequestTextView } from './request.dto.js';

@Injectable()
export class RequestsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly histories: RequestHistories,
    private readonly prices: PriceStore,
    private readonly names: ModelNames,
    private readonly database: Database,
  ) {}

  /** Newest first. @param accountId undefined: of all accounts */
  async page(accountId: string | undefined, query: RequestsDto, cause?: ErrorCause): Promise<Page<RequestHistory>> {
    if (accountId !== undefined) await this.accounts.get(accountId);
    const rows = await this.histories.list({
      ...filterOf(accountId, query, this.names),
      cause,
      before: query.after,
      limit: rowsToRead(query),
    });
    return pageOf(
      rows,
      query,
      ({ request_id }) => request_id,
      (row) => row,
    );
  }

  /** @param id the gateway's, or the client's own */
  async get(accountId: string | undefined, id: string): Promise<RequestHistory> {
    return found('record of a request', id, await this.histories.find(id, accountId));
  }

  async namesOf(histories: readonly RequestHistory[]): Promise<NamesOfRequests> {
    const accounts = histories.map(({ account_id }) => account_id);
    const keys = histories.map(({ key_id }) => key_id);
    return {
      accounts: await namesOf(this.database, 'account', accounts),
      keys: await namesOf(this.database, 'api_key', keys),
    };
  }

  async text(requestId: string): Promise<RequestTextView | null> {
    return (await this.histories.text(requestId)) ?? null;
  }

  async priceSource({ priceId }: RequestHistory): Promise<PriceSourceView | null> {
    const price = priceId === undefined ? undefined : await this.prices.withId(priceId);
    return price ? { id: price.id, provider: price.provider, model: price.model, valid_from: isoTime(price.validFrom) } : null;
  }
}

/** @param accountId undefined: of all accounts */
export function filterOf(accountId: string | undefined, query: RequestFilterDto, names: ModelNames): RequestFilter {
  const { id: idBegins, key: keyId, project: projectId, model: name, environment, status, failed, from, to, since } = query;
  const model = name && names.modelIdOf(name);
  const times = { from: timeOf(from) ?? undefined, to: timeOf(to) ?? undefined, endedSince: timeOf(since) ?? undefined };
  return { accountId, idBegins, keyId, projectId, model, environment, status, failed, ...times };
}
