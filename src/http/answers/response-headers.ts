import type { OutgoingHttpHeaders } from 'node:http';
import { formatCredits } from '../../common/prices/credits.js';
import type { RequestContext } from '../requests/request-context.js';
import { addRateLimitHeaders } from './rate-limit-headers.js';

/** Adds the gateway's own headers of a response that depend on no offer. */
export function addRequestHeaders(headers: OutgoingHttpHeaders, { requestId, idHeader, rateLimits }: RequestContext): void {
  headers['x-request-id'] = requestId;
  if (idHeader) headers[idHeader] = requestId;
  if (rateLimits) addRateLimitHeaders(headers, rateLimits);
}

/** Adds those that tell of the generation, made from what is known of it when the answer begins. */
export function addAnswerHeaders(headers: OutgoingHttpHeaders, { record, leftOut }: RequestContext): void {
  const dropped = record?.dropped ?? leftOut;
  if (dropped && dropped.size > 0) headers['x-switchyard-dropped-parameters'] = headerText([...dropped].join(', '));
  if (!record) return;
  const { provider, upstreamModel, charged, outcome } = record;
  if (upstreamModel !== undefined) headers['x-switchyard-served-by'] = headerText(`${provider}/${upstreamModel}`);
  if (charged !== undefined) headers['x-switchyard-cost'] = formatCredits(charged);
  if (outcome === 'replayed') headers['idempotent-replayed'] = 'true';
}

/** Header values are ASCII without control characters; a provider's name for its model may have others. */
function headerText(text: string): string {
  return text.slice(0, 1000).replace(/[^\x20-\x7e]/g, '?');
}
