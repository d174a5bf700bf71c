import { Get, Query } from '@nestjs/common';
import type { Administrator } from '../../auth/administration/administrator.js';
import { CurrentAdministrator, Roles } from '../../auth/administration/roles.decorator.js';
import { accountRequestView } from '../../observability/account-request-view.js';
import { requestView, type RequestView } from '../../observability/request-view.js';
import { AdminController, Id } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { RequestsDto, ShowRequestDto, type ShownAccountRequestView } from './request.dto.js';
import { RequestsService } from './requests.service.js';

/** The requests of one account, as its members see them: without what is wrong between the gateway and a provider. */
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
  async list(@Id('account') account: string, @Query() query: RequestsDto): Promise<PageView<RequestView>> {
    return pageView(await this.requests.page(account, query), requestView);
  }

  /**
   * Explains a request by the id of its answer, or else by the client's own.
   * @returns which providers were called and when, and what was used and charged line by line
   * @throws ApiError 404 not_found
   */
  @Get(':request')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async get(
    @Id('account') account: string,
    @Id('request') id: string,
    @Query() { text }: ShowRequestDto,
    @CurrentAdministrator() { role }: Administrator,
  ): Promise<ShownAccountRequestView> {
    const history = await this.requests.get(account, id);
    return Object.assign(accountRequestView(history), {
      price_source: await this.requests.priceSource(history),
      text: text && role !== 'viewer' ? await this.requests.text(history.request_id) : null,
    });
  }
}
