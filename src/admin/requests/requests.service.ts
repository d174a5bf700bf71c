import { Injectable } from '@nestjs/common';
import type { Page } from '../../database/pages.js';
import { pageOf, rowsToRead } from '../../database/pages.js';
import { RequestHistories, type RequestHistory } from '../../observability/request-history.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { found, refusals } from '../refusals.js';
import type { RequestsDto, RequestTextView } from './request.dto.js';

@Injectable()
export class RequestsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly histories: RequestHistories,
  ) {}

  /** Newest first. @param accountId undefined: of all accounts */
  async page(accountId: string | undefined, query: RequestsDto): Promise<Page<RequestHistory>> {
    if (accountId !== undefined) await this.accounts.get(accountId);
    const { key: keyId, model, failed, after: before } = query;
    const rows = await refusals(() => this.histories.list({ accountId, keyId, model, failed, before, limit: rowsToRead(query) }));
    return pageOf(
      rows,
      query,
      ({ request_id }) => request_id,
      (row) => row,
    );
  }

  /** @param id the gateway's, or the client's own */
  async get(accountId: string | undefined, id: string): Promise<RequestHistory> {
    return found('record of a request', id, await refusals(() => this.histories.find(id, accountId)));
  }

  async text(requestId: string): Promise<RequestTextView | null> {
    return (await refusals(() => this.histories.text(requestId))) ?? null;
  }
}
