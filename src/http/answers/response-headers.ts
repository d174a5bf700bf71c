import { formatCredits } from '../../common/credits.js';
import type { RequestContext } from '../requests/request-context.js';

/** The gateway's own headers of a response, made from what is known of the generation when the head is written. */
export function responseHeaders({ requestId, record }: RequestContext): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (!record) return headers;
  const { provider, upstreamModel, dropped, charged, outcome } = record;
  if (upstreamModel !== undefined) headers['x-switchyard-served-by'] = headerText(`${provider}/${upstreamModel}`);
  if (dropped.size > 0) headers['x-switchyard-dropped-parameters'] = headerText([...dropped].join(', '));
  if (charged !== undefined) headers['x-switchyard-cost'] = formatCredits(charged);
  if (outcome === 'replayed') headers['idempotent-replayed'] = 'true';
  return headers;
}

/** Header values are ASCII without control characters; a provider's name for its model may have others. */
function headerText(text: string): string {
  return text.slice(0, 1000).replace(/[^\x20-\x7e]/g, '?');
}
