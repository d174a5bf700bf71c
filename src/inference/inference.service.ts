import { Injectable } from '@nestjs/common';
import { Observable, type Observer, type Subscriber, type Unsubscribable } from 'rxjs';
import type { Principal } from '../auth/principal.js';
import { type Hold, Ledger } from '../billing/hold/ledger.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import type { Price } from '../common/credits.js';
import { Shutdown } from '../common/shutdown.js';
import { ConfigService } from '../config/config.service.js';
import type { RequestContext } from '../http/requests/request-context.js';
import type { GenerationChunk, GenerationRequest } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import { type AdmittedRequest, AttemptsService } from './attempts/attempts.service.js';
import { Generation } from './generation/generation.js';
import type { GenerationPlan } from './planning/generation-plan.js';
import { type Route, RouterService } from './routing/router.service.js';

export interface GenerationCall {
  readonly principal: Principal;
  readonly context: RequestContext;
}

/** The pipeline that chat and completions share: plan the routes, hold credits, ask providers, count tokens, settle. */
@Injectable()
export class InferenceService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    private readonly attempts: AttemptsService,
    private readonly ledger: Ledger,
    private readonly config: ConfigService,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * Generates the chunks for all requests of one client call (same model, same `n`) under one hold and one settlement.
   * The choices of each request have consecutive indexes, in the order of the requests; the last chunk is
   * `{choices: [], usage}` with the summed usage. Unsubscribing cancels and settles. Errors are ApiErrors, and are
   * emitted before the first chunk wherever that is possible.
   */
  generate(requests: Requests, call: GenerationCall): Observable<GenerationChunk> {
    return new Observable((client) => {
      const plan = this.#plan(requests, call);
      const held = this.#hold(plan, call);
      const begin = (hold: Hold): Unsubscribable => this.#begin({ plan, hold, context: call.context }, client);
      if (!(held instanceof Promise)) return begin(held);
      void this.#beginWhenHeld(held, begin, client);
      return undefined;
    });
  }

  async #beginWhenHeld(held: Promise<Hold>, begin: (hold: Hold) => Unsubscribable, client: Subscriber<GenerationChunk>): Promise<void> {
    try {
      const hold = await held;
      if (client.closed) hold.settle({ outcome: 'client_left', usage: usageOf(0, 0), estimated: false });
      else client.add(begin(hold));
    } catch (error) {
      client.error(error);
    }
  }

  #begin(admitted: AdmittedRequest, client: Observer<GenerationChunk>): Generation {
    const generation = new Generation(admitted, this.router, this.attempts, this.shutdown, client);
    try {
      generation.begin();
    } catch (error) {
      // The hold must be settled after any error.
      generation.unsubscribe();
      throw error;
    }
    return generation;
  }

  #plan(requests: Requests, { principal, context }: GenerationCall): GenerationPlan {
    const config = this.config.current;
    const [first] = requests;
    const testMode = principal.environment === 'test' && !config.keys.test_keys_reach_providers;
    const model = this.catalogue.find(first.model);
    context.record = {
      operation: first.operation,
      model: model.id,
      streamed: first.stream,
      attempts: [],
      dropped: new Set(),
    };
    const routes = this.router.routes(model, requests, testMode, context);
    return { model, routes, config, stream: first.stream, operation: first.operation, requestedTokens: first.max_tokens };
  }

  /** Holds the worst case over all routes, so that the credits suffice whichever route answers. */
  #hold({ model, routes, operation, requestedTokens }: GenerationPlan, { principal, context }: GenerationCall): Hold | Promise<Hold> {
    let [promptTokens, choices, mostTokens] = [0, 0, 0];
    for (const { calls, offer } of routes) {
      let [bound, n] = [0, 0];
      for (const planned of calls) {
        bound += planned.promptBound;
        n += planned.request.n;
      }
      promptTokens = Math.max(promptTokens, bound);
      choices = Math.max(choices, n);
      mostTokens = Math.max(mostTokens, offer.maxTokens);
    }
    return this.ledger.hold({
      requestId: context.requestId,
      principal,
      operation,
      model: model.id,
      price: highestPrice(routes),
      promptTokens,
      choices,
      maxTokens: requestedTokens ?? mostTokens,
      maxTokensMayShrink: requestedTokens === undefined,
    });
  }
}

type Requests = readonly [GenerationRequest, ...GenerationRequest[]];

function highestPrice(routes: readonly Route[]): Price {
  if (routes.length === 1 && routes[0]!.offer.price) return routes[0]!.offer.price;
  let prompt = 0n;
  let completion = 0n;
  for (const { offer } of routes) {
    if (!offer.price) continue;
    if (offer.price.prompt > prompt) prompt = offer.price.prompt;
    if (offer.price.completion > completion) completion = offer.price.completion;
  }
  const single = routes.find(({ offer: { price } }) => price?.prompt === prompt && price.completion === completion);
  return single?.offer.price ?? { prompt, completion };
}
