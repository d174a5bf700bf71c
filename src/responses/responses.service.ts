import { Injectable } from '@nestjs/common';
import { from, type Observable, switchMap } from 'rxjs';
import { AnswerBudget, ByteClaim } from '../common/limits/byte-budget.js';
import { CarriedTexts } from '../inference/carried/carried-facts.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import type { ResponseObject } from '../wire/response.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { usageOf } from '../wire/usage.js';
import { BackgroundResponses } from './background/background-responses.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { OutputClaim } from './output/output-claim.js';
import { OutputItems } from './output/output-items.js';
import { type PreparedResponse, prepareResponse } from './prepared-response.js';
import { ResponseEvents } from './response-events.js';
import { endOf } from './response.mapping.js';
import { toKeptEvents } from './store/kept-events.js';
import { type Continued, ResponseKeeping } from './store/response-keeping.js';
import { replayFormat } from './store/response-replay.js';
import type { KeptRequest } from '../response-store/stored-response.js';
import { StoredResponsesService } from './store/stored-responses.service.js';

@Injectable()
export class ResponsesService {
  constructor(
    private readonly inference: InferenceService,
    private readonly keeping: ResponseKeeping,
    private readonly background: BackgroundResponses,
    private readonly stored: StoredResponsesService,
    private readonly carried: CarriedTexts,
    private readonly answers: AnswerBudget,
  ) {}

  /**
   * The events of the response where `stream` is set, otherwise the whole response.
   * @throws ApiError 400 unsupported_parameter for what needs a store or a hosted tool, 400 invalid_request
   */
  create(body: CreateResponseDto, call: GenerationCall): Observable<StreamEvent | ResponseObject> | Promise<ResponseObject> {
    const wish = this.keeping.wishOf(body);
    if (!wish) return this.#answer({ body, kept: undefined }, call);
    return from(this.keeping.continued(body, call, wish)).pipe(
      switchMap((continued) =>
        wish.background ? this.#inBackground(continued.body, continued.kept!, call) : this.#answer(continued, call),
      ),
    );
  }

  #inBackground(body: CreateResponseDto, kept: KeptRequest, call: GenerationCall): Observable<StreamEvent | ResponseObject> {
    const queued = from(this.background.begin(body, kept, call));
    if (!body.stream) return queued;
    call.context.streamFormat = replayFormat;
    return queued.pipe(switchMap(({ id }) => this.stored.events(kept.owner, id, call.context)));
  }

  #answer({ body, kept }: Continued, call: GenerationCall): Observable<StreamEvent | ResponseObject> | Promise<ResponseObject> {
    const { begun, ...prepared } = prepareResponse(body, call.context.requestId, this.carried);
    call.context.leftOut = prepared.leftOut;
    begun.store = kept !== undefined;
    const keep = kept && ((response: ResponseObject) => this.keeping.keep(kept, response));
    if (!body.stream) return this.#whole({ begun, ...prepared }, call, keep);
    const events = new ResponseEvents(begun, prepared.options, this.#claim(call));
    call.context.streamFormat = events;
    return this.inference.generate([prepared.request], call).pipe(keep ? toKeptEvents(events, keep) : toEvents(events));
  }

  /** Until the client has the response, or has left. */
  #claim({ principal, context }: GenerationCall): OutputClaim {
    const claim = (context.answerClaim = new ByteClaim(this.answers, principal.accountId));
    return new OutputClaim(claim, () => context.work.closed);
  }

  async #whole(
    { request, begun, options }: PreparedResponse,
    call: GenerationCall,
    keep?: (response: ResponseObject) => Promise<ResponseObject>,
  ): Promise<ResponseObject> {
    const { choices, usage } = await this.inference.whole([request], call);
    const output = new OutputItems(options, this.#claim(call));
    for (const choice of choices) output.add(choice);
    const response = endOf(begun, output, choices[0]?.finish_reason ?? 'stop', usage ?? usageOf(0, 0));
    return keep ? keep(response) : response;
  }
}
