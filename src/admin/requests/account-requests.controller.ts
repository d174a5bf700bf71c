import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { DtoPipe } from '../../http/requests/dto.pipe.js';
import { requestView, type RequestView } from '../../observability/request-view.js';
import { AdminController } from '../admin-controller.decorator.js';
import { Id } from '../fields.js';
import { type PageView, pageView } from '../page.dto.js';
import { RequestsDto } from './request.dto.js';
import { RequestsService } from './requests.service.js';

/** The requests of one account, as its members see them: without the errors of providers. */
@AdminController('accounts/:account/requests')
export class AccountRequestsController {
  constructor(private readonly requests: RequestsService) {}

  /**
   * Lists the requests of an account, newest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async list(@Id('account') account: string, @Query(new DtoPipe(RequestsDto)) query: RequestsDto): Promise<PageView<RequestView>> {
    return pageView(await this.requests.page(account, query), requestView);
  }

  /**
   * Explains a request by the id of its answer, or else by the client's own.
   * @returns what was used and charged
   * @throws ApiError 404 not_found
   */
  @Get(':request')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async get(@Id('account') account: string, @Id('request') id: string): Promise<RequestView> {
    return requestView(await this.requests.get(account, id));
  }
}
