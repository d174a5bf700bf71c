import type { Offer } from '../../catalogue/offer.js';
import { proofNames } from '../../providers/contract/carried-proofs.js';
import type { Flow, ProviderCall } from '../../providers/contract/model-provider.js';
import type { AdmittedRequest } from '../routing/generation-plan.js';
import { notAsGiven } from '../planning/requirements.js';

/**
 * The call that a provider receives. Most providers push chunks and are cancelled without the signal, so the signal is
 * made when it is first read. It is an own property, so that a copy of the call has it too, with one getter for all
 * calls: V8 keeps a getter of each object in the old generation, and with it everything that the getter can reach,
 * which was all of the request.
 */
export class CallOfAttempt implements ProviderCall {
  declare readonly signal: AbortSignal;
  static readonly #signal: PropertyDescriptor & ThisType<CallOfAttempt> = {
    enumerable: true,
    get() {
      return this.#attempt.signal;
    },
  };
  readonly #attempt: Pick<ProviderCall, 'signal'>;
  readonly requestId: string;
  readonly upstreamModel: string;
  readonly account: string;
  readonly flow: Flow;
  readonly dropped: (parameter: string) => void;

  constructor(
    attempt: Pick<ProviderCall, 'signal'>,
    offer: Offer,
    { context, account, plan }: AdmittedRequest,
    readonly traceHeaders: Readonly<Record<string, string>> | undefined,
  ) {
    this.#attempt = attempt;
    this.requestId = context.requestId;
    this.upstreamModel = offer.upstreamModel;
    this.account = account;
    this.flow = context.flow;
    this.dropped = (parameter) => {
      if (plan.config.routing.strict_parameters && !proofNames.has(parameter)) throw notAsGiven(offer, parameter);
      context.record!.dropped.add(parameter);
    };
    Object.defineProperty(this, 'signal', CallOfAttempt.#signal);
  }
}
