import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AdminController, Id } from '../route.decorators.js';
import { causeOf } from '../errors/error-group.js';
import { type PageView, pageView } from '../page.dto.js';
import { AllRequestsDto, type ExplainedRequestView, explainedRequestView, ShowRequestDto, type ShownRequestView } from './request.dto.js';
import { RequestsService } from './requests.service.js';

/** The requests of all accounts, with the calls of providers. */
@AdminController('requests')
export class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  /**
   * Lists requests, newest first, with the calls of providers.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: AllRequestsDto): Promise<PageView<ExplainedRequestView>> {
    const cause = query.error_group === undefined ? undefined : causeOf(query.error_group);
    const page = await this.requests.page(query.account, query, cause);
    return pageView(page, explainedRequestView(await this.requests.namesOf(page.data)));
  }

  /**
   * Explains a request by the id of its answer, or else by the client's own.
   * @returns what is known of it
   * @throws ApiError 404 not_found
   */
  @Get(':request')
  @Roles('operator')
  async get(@Id('request') id: string, @Query() { text }: ShowRequestDto): Promise<ShownRequestView> {
    const history = await this.requests.get(undefined, id);
    const said = text ? await this.requests.text(history.request_id) : null;
    return Object.assign(explainedRequestView(await this.requests.namesOf([history]))(history), { text: said });
  }
}
