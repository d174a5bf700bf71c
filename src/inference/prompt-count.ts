import { Injectable } from '@nestjs/common';
import { accessOf } from '../auth/rules/principal-rules.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import { ConfigService } from '../config/config.service.js';
import type { GenerationRequest } from '../wire/generation.js';
import { ceilingOf } from './attempts/believed-usage.js';
import { UpstreamEstimate } from './attempts/upstream-estimate.js';
import { Calibrations } from './calibration/calibrations.js';
import type { GenerationCall } from './inference.service.js';
import { RouterService } from './routing/router.service.js';
import { isTestMode } from './test-mode.js';

/** Estimates the tokens of prompts. Nothing is sent, held or counted. */
@Injectable()
export class PromptCount {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    private readonly calibrations: Calibrations,
    private readonly config: ConfigService,
  ) {}

  /**
   * Tokens of the prompt at the offer that would be asked first, by what it has counted lately, or by facts.
   * @throws ApiError what a request to generate would be refused with
   */
  tokens(request: GenerationRequest, { principal, context }: GenerationCall): number {
    const model = this.catalogue.find(request.model, accessOf(principal.environment, principal.rules));
    const testMode = isTestMode(principal, this.config.current);
    const [{ offer, calls }] = this.router.routes(model, [request], testMode, context, principal);
    const { request: asked, promptBytes, toolBytes = 0 } = calls[0]!;
    const rates = this.calibrations.ratesOf(offer, principal.accountId);
    return new UpstreamEstimate(asked, promptBytes, toolBytes, 0, ceilingOf(offer, 1), rates).promptTokens;
  }
}
