import { Injectable } from '@nestjs/common';
import { catchError } from 'rxjs';
import { ApiError } from '../common/api-error.js';
import { observe, type Source } from '../common/source.js';
import { ConfigService } from '../config/config.service.js';
import { EventedAnswer } from '../inference/answer-events.js';
import { answerEnvelope } from '../inference/event-envelope.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { requireFewChoices } from '../inference/sampling.js';
import { WholeAnswer } from '../inference/whole-answer.js';
import type { Completion } from '../wire/completion.js';
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
   * Emits the JSON text of each event when `stream` is set, else the one answer.
   * @throws ApiError 400 invalid_request when more choices are asked for than the operator allows
   */
  create(body: CreateCompletionDto, call: GenerationCall): Source<string | Completion> {
    const { routing } = this.config.current;
    const plan = completionPlan(body);
    requireFewChoices(plan.prompts.length * plan.generated, routing.max_choices);
    const envelope = answerEnvelope('cmpl', body.model, call.exchange.requestId);
    const chunks = this.inference.generate(completionRequests(body, plan), call);
    if (body.stream)
      return new EventedAnswer(chunks, new CompletionEvents(envelope, body.stream_options?.include_usage === true, plan.logprobs));
    const whole = new WholeAnswer(chunks, envelope, (_, chunk) => completion(envelope, chunk, plan, routing.best_of_ranking));
    if (plan.generated === plan.n || plan.logprobs) return whole;
    return observe(whole).pipe(
      catchError((error: unknown) => {
        throw explained(error);
      }),
    );
  }
}

/** A model without log probabilities refuses a parameter that the client of a best_of never sent. */
function explained(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'unsupported_parameter') return error;
  return new ApiError(error.code, `${error.message}; best_of ranks by log probabilities`, error.headers, { cause: error });
}
