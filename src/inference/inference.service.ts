import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Observable, type Observer, type Subscription } from 'rxjs';
import type { Principal } from '../auth/principal.js';
import { accessOf } from '../auth/rules/principal-rules.js';
import { type Hold, type HoldRequest, Ledger } from '../billing/hold/ledger.js';
import type { CatalogueModel } from '../catalogue/catalogue-model.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import { Clock } from '../common/time/clock.js';
import { GenerationRecord } from '../common/requests/generation-record.js';
import { Shutdown } from '../common/shutdown.js';
import { ConfigService } from '../config/config.service.js';
import type { RequestContext } from '../http/requests/request-context.js';
import type { Admission } from '../limits/admission.js';
import { LimitsService } from '../limits/limits.service.js';
import { proofNames } from '../providers/contract/carried-proofs.js';
import { ProviderRegistry } from '../providers/registry/provider-registry.js';
import { type GenerationChunk, isOverInputs } from '../wire/generation.js';
import type { OperationName } from '../wire/operations.js';
import { usageOf } from '../wire/usage.js';
import { AttemptsService } from './attempts/attempts.service.js';
import { WholeAnswer } from './chunks/whole-answer.js';
import { UnpaidLeavings } from './generation/unpaid-leavings.js';
import { Generation, type GenerationSurroundings } from './generation/generation.js';
import { UsageWaits } from './generation/usage-waits.js';
import type { AdmittedRequest, GenerationPlan } from './routing/generation-plan.js';
import { unsupported } from './planning/requirements.js';
import type { InferenceRequests } from './planning/upstream-call.js';
import { worstCaseOf } from './routing/worst-case.js';
import { RouterService } from './routing/router.service.js';
import { isTestMode } from './test-mode.js';

/**
 * Tokens of a prompt from which on a provider is asked in another turn of the event loop than the one that planned it:
 * 30 MB of thinking held one turn for 203 ms, and now for 69 ms at most (`npm run test:all -- hostile-bodies`).
 */
const LARGE = 256 * 1024;

export interface GenerationCall {
  readonly principal: Principal;
  readonly context: RequestContext;
  /** What was asked for, where that is not the operation of the canonical request. */
  readonly operation?: OperationName;
  /** Is called when the credits are held, before a provider is asked: what is refused from then on has been admitted. */
  readonly onAdmitted?: () => void;
}

/**
 * The pipeline that all operations share: plan the routes, count against limits, hold
 * credits, ask providers, count tokens, settle.
 */
@Injectable()
export class InferenceService implements GenerationSurroundings {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    readonly attempts: AttemptsService,
    private readonly ledger: Ledger,
    private readonly config: ConfigService,
    readonly shutdown: Shutdown,
    readonly waits: UsageWaits,
    readonly leavings: UnpaidLeavings,
    private readonly registry: ProviderRegistry,
    private readonly limits: LimitsService,
    readonly clock: Clock,
  ) {}

  /**
   * Generates the chunks for all requests of one client call under one hold and
   * one settlement. The choices of each request have consecutive indexes, in the order of the requests; the last chunk
   * is `{choices: [], usage}` with the summed usage. Unsubscribing cancels and settles. Errors are ApiErrors, and are
   * emitted before the first chunk wherever that is possible.
   */
  generate(requests: InferenceRequests, call: GenerationCall): Observable<GenerationChunk> {
    return new Observable((client) => this.#begin(requests, call, client, client));
  }

  /**
   * The same for an answer that is not streamed: resolves with all of its choices and its usage. Ending `context.work`
   * cancels and settles; the promise then stays as it is.
   */
  whole(requests: InferenceRequests, call: GenerationCall): Promise<GenerationChunk> {
    return new Promise((resolve, reject) => this.#begin(requests, call, new WholeAnswer(resolve, reject), call.context.work));
  }

  /** @param work ends with the generation's client */
  #begin(requests: InferenceRequests, call: GenerationCall, client: Observer<GenerationChunk>, work: Subscription): void {
    const plan = this.#plan(requests, call);
    const worst = worstCaseOf(plan, call, this.clock.now());
    const limits = call.principal.rules?.limits;
    if (!limits?.length) return this.#hold({ plan, worst, call, admission: undefined }, client, work);
    const admitted = this.limits.admit(limits, worst.promptTokens + worst.maxTokens * worst.choices, call.context);
    const hold = (admission: Admission): void => {
      if (work.closed) admission.settle(0);
      else this.#hold({ plan, worst, call, admission }, client, work);
    };
    if (!(admitted instanceof Promise)) return hold(admitted);
    admitted.then(hold).catch((error: unknown) => client.error(error));
  }

  /** Holds the worst case, and asks the providers then. */
  #hold({ plan, worst, call, admission }: LimitedRequest, client: Observer<GenerationChunk>, work: Subscription): void {
    const { context, principal } = call;
    const { providers } = plan;
    const made = this.#held(worst, admission);
    const held = worst.promptTokens < LARGE ? made : Promise.resolve(made).then((hold) => nextTurn(hold));
    providers.begin();
    const ask = (hold: Hold): void => {
      if (work.closed) {
        providers.end();
        admission?.settle(0);
        hold.settle({ outcome: 'client_left', usage: usageOf(0, 0), estimated: false });
        return;
      }
      call.onAdmitted?.();
      work.add(this.#ask({ plan, hold, admission, context, account: principal.accountId, key: principal.keyId }, client));
    };
    if (!(held instanceof Promise)) return ask(held);
    const refused = (error: unknown): never => {
      providers.end();
      admission?.settle(0);
      throw error;
    };
    held.then(ask, refused).catch((error: unknown) => client.error(error));
  }

  #held(worst: HoldRequest, admission: Admission | undefined): Hold | Promise<Hold> {
    try {
      return this.ledger.hold(worst);
    } catch (error) {
      admission?.settle(0);
      throw error;
    }
  }

  #ask(admitted: AdmittedRequest, client: Observer<GenerationChunk>): Generation {
    const generation = new Generation(admitted, this, client);
    try {
      generation.begin();
    } catch (error) {
      // The hold must be settled after any error.
      generation.unsubscribe();
      throw error;
    }
    return generation;
  }

  #plan(requests: InferenceRequests, { principal, context, operation: asked }: GenerationCall): GenerationPlan {
    const config = this.config.current;
    const [first] = requests;
    const model = this.catalogue.find(first.model, accessOf(principal.environment, principal.rules));
    context.record = new GenerationRecord(asked ?? first.operation, model.modelId, first.stream, countedAs(model));
    for (const name of context.leftOut ?? []) {
      if (config.routing.strict_parameters && !proofNames.has(name)) throw unsupported(name, { modelId: model.id });
      context.record.dropped.add(name);
    }
    const routes = this.router.routes(model, requests, isTestMode(principal, config), context, principal);
    const { stream, operation } = first;
    const requestedTokens = isOverInputs(first) ? 0 : first.max_tokens;
    return { model, routes, config, providers: this.registry.inUse, stream, operation, requestedTokens };
  }
}

/** A request that was let in by the limits of its key, if there are any. */
interface LimitedRequest {
  readonly plan: GenerationPlan;
  readonly worst: HoldRequest;
  readonly call: GenerationCall;
  readonly admission: Admission | undefined;
}

/** All models of a provider that passes any name through are counted as one: clients make up their names. */
function countedAs({ offers: [{ modelId, watchedAs, name }] }: CatalogueModel): string | undefined {
  return watchedAs === modelId ? undefined : name;
}
