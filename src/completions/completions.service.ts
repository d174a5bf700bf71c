import { Injectable } from '@nestjs/common';
import { catchError, map, type Observable, toArray } from 'rxjs';
import { ApiError } from '../common/api-error.js';
import { ConfigService } from '../config/config.service.js';
import { accumulate } from '../inference/chunks/accumulate.js';
import { completionEnvelope } from '../inference/chunks/completion-envelope.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { requireFewChoices } from '../inference/sampling.js';
import type { Completion } from '../wire/completion.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CompletionEvents } from './completion-events.js';
import { completion, completionPlan, completionRequests } from './completion.mapping.js';
import type { CreateCompletionDto } from './create-completion.dto.js';

@Injectable()
export class CompletionsService {
  constructor(
    private readonly inference: InferenceService,
    private readonly config: ConfigService,
  ) {}

  /**
   * Emits the events of the completion where `stream` is set, otherwise the whole completion.
   * @throws ApiError 400 invalid_request when more choices are asked for than the operator allows
   */
  create(body: CreateCompletionDto, call: GenerationCall): Observable<StreamEvent | Completion> {
    const { routing } = this.config.current;
    const plan = completionPlan(body);
    requireFewChoices(plan.prompts.length * plan.generated, routing.max_choices);
    const envelope = completionEnvelope('cmpl', body.model, call.context.requestId);
    const chunks = this.inference.generate(completionRequests(body, plan), call);
    const includeUsage = body.stream_options?.include_usage === true;
    if (body.stream) return chunks.pipe(toEvents(new CompletionEvents(envelope, includeUsage, plan.logprobs)));
    const whole = chunks.pipe(
      toArray(),
      map((all) => completion(envelope, accumulate(all), plan, routing.best_of_ranking)),
    );
    if (plan.generated === plan.n || plan.logprobs) return whole;
    return whole.pipe(
      catchError((error: unknown) => {
        throw withReason(error);
      }),
    );
  }
}

/** A model without log probabilities refuses `logprobs`, which the client of a best_of has not sent. */
function withReason(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'unsupported_parameter') return error;
  return new ApiError(error.code, `${error.message}; best_of ranks by log probabilities`, error.advice, { cause: error });
}
