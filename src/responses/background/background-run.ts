import type { Subscription } from 'rxjs';
import { ApiError } from '../../common/api-error.js';
import type { EndsAtDeadline } from '../../common/shutdown.js';
import type { GenerationCall, InferenceService } from '../../inference/inference.service.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import { errorBody } from '../../wire/error.js';
import type { GenerationChoice, GenerationChunk } from '../../wire/generation.js';
import type { ResponseObject } from '../../wire/response.js';
import type { OutputClaim } from '../output/output-claim.js';
import { OutputItems } from '../output/output-items.js';
import type { PreparedResponse } from '../prepared-response.js';
import { endOf, responseError, responseUsage } from '../response.mapping.js';
import { MAX_ANSWER } from '../store/store-limits.js';

/**
 * One response that is generated after its request was answered. It asks for a stream, so that what was generated until
 * a cancellation is known, and paid for.
 */
export class BackgroundRun implements EndsAtDeadline {
  index = -1;
  readonly #output: OutputItems;
  readonly #admission = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<ResponseObject>();
  #generation: Subscription | undefined;
  #finish: FinishReason = 'stop';
  #admitted = false;
  #ended = false;

  /**
   * @param claim for the output, until the response is stored
   * @param onOutput is called with the first output
   */
  constructor(
    private readonly prepared: PreparedResponse,
    private readonly call: GenerationCall,
    private readonly claim: OutputClaim,
    private onOutput: (() => void) | undefined,
  ) {
    this.#output = new OutputItems(prepared.options, claim);
  }

  get keyId(): string {
    return this.call.principal.keyId;
  }

  /** Resolves with the response when it has ended, and been charged. Never rejects. */
  get end(): Promise<ResponseObject> {
    return this.#end.promise;
  }

  /**
   * Resolves when the credits are held.
   * @throws ApiError what a request in the foreground would be refused with
   */
  begin(inference: InferenceService): Promise<void> {
    const { context } = this.call;
    const request = { ...this.prepared.request, stream: true };
    const onAdmitted = (): void => {
      this.#admitted = true;
      this.#admission.resolve();
    };
    this.#generation = inference.generate([request], { ...this.call, onAdmitted }).subscribe({
      next: (chunk) => this.#next(chunk),
      error: (error) => this.#fail(error),
    });
    context.work.add(this.#generation);
    if (this.#ended) context.work.unsubscribe();
    return this.#admission.promise;
  }

  /**
   * Ends the generation: what was generated is charged as for a client that leaves.
   * @param error why it failed; without it the response was cancelled
   */
  stop(error?: ApiError): void {
    if (this.#ended) return;
    this.call.context.work.unsubscribe();
    if (!this.#admitted) return this.#refuse(error ?? new ApiError('service_unavailable', 'The response was given up. Please retry.'));
    const usage = this.call.context.record?.usage;
    this.#output.abandon();
    this.#endWith({
      ...this.prepared.begun,
      status: error ? 'failed' : 'cancelled',
      error: error ? errorOf(error) : null,
      output: this.#output.items,
      usage: usage ? responseUsage(usage) : null,
    });
  }

  reachDeadline(): void {
    this.stop(new ApiError('service_unavailable', 'The service is shutting down.'));
  }

  #next({ choices, usage }: GenerationChunk): void {
    if (this.#ended) return;
    this.onOutput?.();
    this.onOutput = undefined;
    try {
      for (const choice of choices) this.#add(choice);
      if (choices.length === 0 && usage) this.#endWith(endOf(this.prepared.begun, this.#output, this.#finish, usage));
    } catch (error) {
      this.stop(error instanceof ApiError ? error : internal);
    }
  }

  #add(choice: GenerationChoice): void {
    this.#output.add(choice);
    if (choice.finish_reason) this.#finish = choice.finish_reason;
    if (this.claim.characters > MAX_ANSWER) throw new ApiError('upstream_error', `The response has more than ${MAX_ANSWER} bytes.`);
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    if (!this.#admitted) return this.#refuse(error);
    this.#output.abandon();
    this.#endWith({ ...this.prepared.begun, status: 'failed', error: errorOf(error), output: this.#output.items });
  }

  #refuse(error: unknown): void {
    this.#ended = true;
    this.#admission.reject(error);
  }

  #endWith(response: ResponseObject): void {
    this.#ended = true;
    this.call.context.work.unsubscribe();
    // The provider may still tell what it has counted.
    void (this.call.context.record?.settled ?? Promise.resolve()).then(() => this.#end.resolve(response));
  }
}

const internal = new ApiError('internal_error', 'Internal server error');

function errorOf(error: unknown): ResponseObject['error'] {
  const { code, message } = error instanceof ApiError ? error : internal;
  return responseError(errorBody(code, message));
}
