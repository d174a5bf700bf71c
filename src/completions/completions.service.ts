import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { ApiError } from '../common/api-error.js';
import { ConfigService } from '../config/config.service.js';
import { dataEvents } from '../http/requests/stream-format.js';
import { type CompletionEnvelope, completionEnvelope } from '../inference/chunks/completion-envelope.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { requireFewChoices } from '../inference/sampling.js';
import type { Completion } from '../wire/completion.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CompletionEvents } from './completion-events.js';
import {
  completion,
  type CompletionPlan,
  completionPlan,
  type CompletionRequests,
  completionRequests,
  hasTokenIds,
  promptBytes,
} from './completion.mapping.js';
import type { CreateCompletionDto } from './create-completion.dto.js';

/** UTF-8 bytes of prompts that one answer returns, with each choice that is generated for one. */
const MAX_ECHO = 1024 * 1024;

@Injectable()
export class CompletionsService {
  constructor(
    private readonly inference: InferenceService,
    private readonly config: ConfigService,
  ) {}

  /**
   * The events of the completion where `stream` is set, otherwise the whole completion.
   * @throws ApiError 400 invalid_request when more choices are asked for than the operator allows, or when more is to
   * be echoed than `MAX_ECHO`
   */
  create(body: CreateCompletionDto, call: GenerationCall): Observable<StreamEvent | Completion> | Promise<Completion> {
    const plan = completionPlan(body);
    requireFewChoices(plan.prompts * plan.generated, this.config.current.routing.max_choices);
    if (plan.echo !== 'none') requireEcho(body, plan);
    const envelope = completionEnvelope('cmpl', body.model, call.context.requestId);
    const requests = completionRequests(body, plan);
    if (!body.stream) return this.#whole(requests, plan, envelope, call);
    call.context.streamFormat = dataEvents;
    const includeUsage = body.stream_options?.include_usage === true;
    return this.inference.generate(requests, call).pipe(toEvents(new CompletionEvents(envelope, includeUsage, plan.logprobs)));
  }

  async #whole(
    requests: CompletionRequests,
    plan: CompletionPlan,
    envelope: CompletionEnvelope,
    call: GenerationCall,
  ): Promise<Completion> {
    try {
      return completion(envelope, await this.inference.whole(requests, call), plan, this.config.current.routing.best_of_ranking);
    } catch (error) {
      throw plan.generated === plan.n || plan.logprobs !== undefined ? error : withReason(error);
    }
  }
}

function requireEcho(body: CreateCompletionDto, { generated, n }: CompletionPlan): void {
  if (generated > n && hasTokenIds(body))
    throw new ApiError('unsupported_parameter', 'echo cannot be combined with best_of where the prompt is token ids');
  const bytes = promptBytes(body) * generated;
  if (bytes <= MAX_ECHO) return;
  throw new ApiError(
    'invalid_request',
    `echo returns at most ${MAX_ECHO} bytes of prompts, with each choice anew, and this request asks for ${bytes}`,
  );
}

/** A model without log probabilities refuses `logprobs`, which the client of a best_of has not sent. */
function withReason(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'unsupported_parameter') return error;
  return new ApiError(error.code, `${error.message}; best_of ranks by log probabilities`, error.advice, { cause: error });
}
