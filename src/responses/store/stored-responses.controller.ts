import { Controller, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CurrentPrincipal } from '../../auth/principal.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { AnswerInterceptor } from '../../http/answers/answer.interceptor.js';
import { Context } from '../../http/requests/context.decorator.js';
import { Operation } from '../../http/requests/operation.decorator.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { QueryValidationPipe } from '../../http/requests/query-validation.pipe.js';
import type { DeletedResponse, ResponseItemList, ResponseObject } from '../../wire/response.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import type { WrittenJson } from '../../wire/written-json.js';
import { replayFormat } from './response-replay.js';
import { InputItemsQuery, ResponseQuery } from './stored-responses.query.js';
import { StoredResponsesService } from './stored-responses.service.js';

/** /v1/responses/{id}: every key of the account and environment that may use the operation `responses`. */
@Controller('responses')
@UseInterceptors(AnswerInterceptor)
export class StoredResponsesController {
  constructor(private readonly responses: StoredResponsesService) {}

  /**
   * Shows a response that is stored. One in the background has the status `queued` or `in_progress` until it ends. With
   * `stream` its events are sent, those of its output when it has ended.
   * @returns the response
   * @throws ApiError 400 invalid_request, 403 permission_denied, 404 not_found, 503 service_unavailable
   */
  @Get(':response_id')
  @Operation('responses')
  get(
    @Param('response_id') id: string,
    @Query(new QueryValidationPipe(ResponseQuery)) { stream, starting_after }: ResponseQuery,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent> | Promise<WrittenJson<ResponseObject>> {
    if (!stream) return this.responses.find(principal, id, context);
    context.streamFormat = replayFormat;
    return this.responses.events(principal, id, context, starting_after);
  }

  /**
   * Deletes a response that is stored, with its input. Responses that continue it stay, and cannot be continued any more.
   * One in the background ends.
   * @returns that it is deleted
   * @throws ApiError 403 permission_denied, 404 not_found, 503 service_unavailable
   */
  @Delete(':response_id')
  @Operation('responses')
  delete(@Param('response_id') id: string, @CurrentPrincipal() principal: Principal): Promise<DeletedResponse> {
    return this.responses.delete(principal, id);
  }

  /**
   * Cancels a response in the background, at whichever gateway. What was generated is charged. One that has ended stays as
   * it is.
   * @returns the response with what was generated
   * @throws ApiError 400 invalid_request, 403 permission_denied, 404 not_found, 503 service_unavailable
   */
  @Post(':response_id/cancel')
  @HttpCode(200)
  @Operation('responses')
  cancel(
    @Param('response_id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Promise<WrittenJson<ResponseObject>> {
    return this.responses.cancel(principal, id, context);
  }

  /**
   * Lists the items that a stored response answers: those of its conversation before it, as far as they are still stored.
   * @returns a page of them
   * @throws ApiError 400 invalid_request, 403 permission_denied, 404 not_found, 503 service_unavailable
   */
  @Get(':response_id/input_items')
  @Operation('responses')
  inputItems(
    @Param('response_id') id: string,
    @Query(new QueryValidationPipe(InputItemsQuery)) query: InputItemsQuery,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Promise<ResponseItemList> {
    return this.responses.inputItems(principal, id, query, context);
  }
}
