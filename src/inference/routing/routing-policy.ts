import type { Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { parsePrice, type Price } from '../../common/prices/credits.js';
import { highestTier } from '../../common/prices/price-ceiling.js';
import type { Config } from '../../config/config.schema.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { ownOf } from '../../wire/own-members.js';
import { strategies, type Strategy } from '../../wire/routing-strategy.js';

/** Request headers by which a client influences the choice among a model's offers, where the operator allows it. */
const routingHeaders = {
  strategy: 'x-switchyard-strategy',
  providers: 'x-switchyard-providers',
  without: 'x-switchyard-without-providers',
  maxPrice: 'x-switchyard-max-price',
} as const;

const headerNames = Object.values(routingHeaders);

interface RoutingPolicy {
  readonly strategy: Strategy;
  readonly only?: ReadonlySet<string>;
  readonly without?: ReadonlySet<string>;
  /** The highest price; offers with a higher price are not asked. */
  readonly maxPrice?: Price;
}

/**
 * The model's configured strategy, changed by what the client's headers say.
 * @throws ApiError 400 invalid_request for an invalid header, 403 permission_denied where the operator allows none
 */
export function routingPolicy(config: Config, modelId: string, headers: RequestContext['headers']): RoutingPolicy {
  const configured = ownOf(config.models, modelId)?.strategy ?? config.routing.strategy;
  const given = headerNames.find((name) => headers[name] !== undefined);
  if (given === undefined) return { strategy: configured };
  if (!config.routing.client_headers) throw new ApiError('permission_denied', `The header ${given} is not allowed here`);
  const strategy = strategyOf(headers[routingHeaders.strategy]) ?? configured;
  return {
    strategy,
    only: namesOf(headers[routingHeaders.providers]),
    without: namesOf(headers[routingHeaders.without]),
    maxPrice: priceOf(headers[routingHeaders.maxPrice]),
  };
}

export function allows({ only, without, maxPrice }: RoutingPolicy, { provider, price }: Offer, serviceTier?: string): boolean {
  if (only && !only.has(provider.id)) return false;
  if (without?.has(provider.id)) return false;
  if (!maxPrice || !price) return true;
  const { prompt, completion } = highestTier(price, serviceTier);
  return prompt <= maxPrice.prompt && completion <= maxPrice.completion;
}

/** 400: what the client's headers ask for is offered by nobody, whether or not the providers answer now. */
export function nothingAllowed({ only, without, maxPrice }: RoutingPolicy, modelId: string): ApiError {
  const asked = [only && routingHeaders.providers, without && routingHeaders.without, maxPrice && routingHeaders.maxPrice].filter(Boolean);
  return new ApiError('invalid_request', `No offer of the model '${modelId}' meets ${asked.join(' and ')}`);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

function strategyOf(header: string | string[] | undefined): Strategy | undefined {
  const name = textOf(header);
  if (name === undefined) return undefined;
  const known = strategies.find((strategy) => strategy === name);
  if (!known) throw new ApiError('invalid_request', `${routingHeaders.strategy} must be one of ${strategies.join(', ')}`);
  return known;
}

function namesOf(header: string | string[] | undefined): ReadonlySet<string> | undefined {
  const names = textOf(header)
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names?.length ? new Set(names) : undefined;
}

/** Parses one decimal for both prices, or `prompt/completion`. */
function priceOf(header: string | string[] | undefined): Price | undefined {
  const text = textOf(header);
  if (text === undefined) return undefined;
  const [prompt = '', completion = prompt] = text.split('/');
  try {
    return parsePrice({ prompt, completion });
  } catch {
    throw new ApiError('invalid_request', `${routingHeaders.maxPrice} must be credits per 1,000 tokens: one decimal, or prompt/completion`);
  }
}
