import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ModelNames } from '../../catalogue/model-names.js';
import { ApiError } from '../../common/api-error.js';
import { AnswerBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { Clock } from '../../common/time/clock.js';
import { firstRequestId } from '../../common/requests/request-id.js';
import { ConfigService } from '../../config/config.service.js';
import { Database } from '../../database/database.js';
import type { RequestFilter } from '../../observability/request-conditions.js';
import { RequestHistories } from '../../observability/request-history.js';
import { requestView } from '../../observability/request-view.js';
import type { RequestFilterDto } from './request.dto.js';
import type { ExportForm } from './request-export.js';
import { filterOf } from './requests.service.js';

/** Requests of one export. */
const MOST = 100_000;
/** Requests that are read at once. */
const PAGE = 500;
/** Bytes of memory that those have, with their lines, while a client reads them. */
const PAGE_BYTES = PAGE * 2_048;

export interface RequestExport {
  /** How many requests there are, some more or fewer where some end meanwhile. */
  readonly count: number;
  readonly text: Readable;
}

/** Writes requests to files, as fast as they are read. */
@Injectable()
export class RequestExports {
  constructor(
    private readonly database: Database,
    private readonly histories: RequestHistories,
    private readonly config: ConfigService,
    private readonly answers: AnswerBudget,
    private readonly clock: Clock,
    private readonly names: ModelNames,
  ) {}

  /**
   * The requests of an account that came before now, newest first: all of them, or none.
   * @throws ApiError 400 invalid_request for more than 100,000 requests, 503 service_unavailable
   */
  async begin(accountId: string, query: RequestFilterDto, form: ExportForm): Promise<RequestExport> {
    const filter = { ...filterOf(accountId, query, this.names), before: firstRequestId(Date.now()) };
    const count = await this.histories.count({ ...filter, limit: MOST + 1 });
    if (count > MOST) throw new ApiError('invalid_request', `These are more than ${MOST} requests: name a shorter time.`);
    const claim = new ByteClaim(this.answers, accountId);
    if (!claim.resize(PAGE_BYTES))
      throw new ApiError('service_unavailable', 'Answers under way have too many bytes together (server.answer_budget). Please retry.', {
        retryAfter: 1,
      });
    const text = Readable.from(
      this.#lines(filter, form, () => text.destroy()),
      { objectMode: false },
    );
    text.once('close', () => claim.release());
    return { count, text };
  }

  /** @param cut is called where the client reads nothing for so long that it is cut off */
  async *#lines(filter: RequestFilter, form: ExportForm, cut: () => void): AsyncGenerator<string> {
    let lines = form.head ?? '';
    for (let { before } = filter; ;) {
      const page = await this.database.reading(() => this.histories.list({ ...filter, before, limit: PAGE }));
      for (const request of page) lines += form.line(requestView(request));
      const timer = this.clock.setTimeout(cut, this.config.current.server.stall_timeout).unref();
      if (lines !== '') yield lines;
      this.clock.clear(timer);
      if (page.length < PAGE) return;
      before = page.at(-1)!.request_id;
      lines = '';
    }
  }
}
