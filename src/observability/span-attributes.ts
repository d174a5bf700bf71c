import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { AttemptRecord, GenerationRecord } from '../common/requests/generation-record.js';
import type { EndedRequest } from '../http/server/open-requests.js';
import { type OperationEntry, operations } from '../wire/operations.js';
import { requestedModel } from './requested-model.js';

/*
 * Names and values of the GenAI semantic conventions (open-telemetry/semantic-conventions-genai,
 * gen_ai.client.inference, state of November 2026) and of the stable HTTP conventions. No attribute holds text of a
 * prompt or an answer.
 */

/** Parameters of the body that become attributes, under the names of the conventions. */
const parameters = {
  max_tokens: 'gen_ai.request.max_tokens',
  max_completion_tokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  frequency_penalty: 'gen_ai.request.frequency_penalty',
  presence_penalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
} as const;

const MAX_MODEL_LENGTH = 256;

const conventions: ReadonlyMap<string, string> = new Map(Object.values(operations).map(({ path, convention }) => [path, convention]));

/** The name of the operation in the conventions; undefined for a request that does not generate. */
export function operationOf({ request }: EndedRequest): string | undefined {
  return conventions.get(request.routeOptions.url ?? '');
}

/** The model as the catalogue names it, or as the client did where the request was refused. */
export function modelOf({ request }: EndedRequest): string | undefined {
  return request.requestContext?.record?.model ?? requestedModel(request, MAX_MODEL_LENGTH);
}

export function requestAttributes(ended: EndedRequest): Attributes {
  const { request, reply } = ended;
  const record = request.requestContext?.record;
  const { id, principal, routeOptions } = request;
  return defined({
    'http.request.method': request.method,
    'http.route': routeOptions.url,
    'http.response.status_code': reply.raw.statusCode,
    'url.path': routeOptions.url,
    'url.scheme': 'http',
    'gen_ai.operation.name': operationOf(ended),
    'gen_ai.request.model': modelOf(ended),
    'error.type': request.answeredError?.code,
    'switchyard.request.id': id,
    'switchyard.account.id': principal?.accountId,
    'switchyard.key.id': principal?.keyId,
    'switchyard.environment': principal?.environment,
    ...requestParameters(request.body),
    ...(record && generationAttributes(record, id)),
  });
}

function requestParameters(body: unknown): Record<string, number | undefined> {
  if (typeof body !== 'object' || body === null) return {};
  const found: Record<string, number | undefined> = {};
  for (const [name, attribute] of Object.entries(parameters)) {
    const value = (body as Record<string, unknown>)[name];
    if (typeof value === 'number') found[attribute] = value;
  }
  const { n } = body as { n?: unknown };
  if (typeof n === 'number' && n !== 1) found['gen_ai.request.choice.count'] = n;
  return found;
}

function generationAttributes(record: GenerationRecord, requestId: string): Record<string, AttributeValue | undefined> {
  const { usage, provider, upstreamModel, finishReasons, streamed, outcome, charged } = record;
  const served = record.attempts.find(({ outcome: ending, firstTokenMs }) => ending === 'served' || firstTokenMs !== undefined);
  const firstTokenMs = served?.firstTokenMs === undefined ? undefined : served.startedMs + (served.queueMs ?? 0) + served.firstTokenMs;
  const { idPrefix: prefix }: OperationEntry = operations[record.operation];
  return {
    'gen_ai.provider.name': provider,
    'gen_ai.request.stream': streamed,
    'gen_ai.response.id': finishReasons && prefix && prefix + requestId,
    'gen_ai.response.model': upstreamModel,
    'gen_ai.response.finish_reasons': finishReasons && [...finishReasons],
    'gen_ai.response.time_to_first_chunk': streamed && firstTokenMs !== undefined ? firstTokenMs / 1000 : undefined,
    'gen_ai.usage.input_tokens': usage?.prompt_tokens,
    'gen_ai.usage.output_tokens': usage?.completion_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.prompt_tokens_details?.cached_tokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.completion_tokens_details?.reasoning_tokens,
    'switchyard.outcome': outcome,
    'switchyard.cost': charged === undefined ? undefined : Number(charged) / 1e9,
  };
}

export function attemptAttributes(ended: EndedRequest, { offer, outcome, status, firstTokenMs }: AttemptRecord): Attributes {
  const slash = offer.indexOf('/');
  return defined({
    'gen_ai.operation.name': operationOf(ended),
    'gen_ai.provider.name': offer.slice(0, slash),
    'gen_ai.request.model': offer.slice(slash + 1),
    'gen_ai.request.stream': ended.request.requestContext?.record?.streamed,
    'gen_ai.response.time_to_first_chunk': firstTokenMs === undefined ? undefined : firstTokenMs / 1000,
    'http.response.status_code': status,
    'error.type': isFailure(outcome) ? outcome : undefined,
    'switchyard.outcome': outcome,
  });
}

/** A client that leaves, or another attempt that is quicker, is not a failure. */
export function isFailure(outcome: string): boolean {
  return outcome !== 'served' && outcome !== 'client_left' && outcome !== 'lost_hedge';
}

function defined(attributes: Record<string, AttributeValue | undefined>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
