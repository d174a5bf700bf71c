import { formatCredits } from '../../common/credits.js';
import type { GenerationRecord } from '../../common/generation-record.js';
import type { RequestContext } from '../requests/request-context.js';

const SERVED_BY = 'x-switchyard-served-by';
const DROPPED = 'x-switchyard-dropped-parameters';

/** The gateway's own headers of an answer, made from what is known of its generation when its head is written. */
export function answerHeaders({ requestId, record }: RequestContext): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (!record) return headers;
  if (record.replayedHeaders) {
    return Object.assign(headers, record.replayedHeaders, { 'x-switchyard-cost': '0', 'idempotent-replayed': 'true' });
  }
  addOrigin(headers, record);
  if (record.charged !== undefined) headers['x-switchyard-cost'] = formatCredits(record.charged);
  return headers;
}

/** The headers that say how an answer came about; they are kept with it for a repeat under its Idempotency-Key. */
export function originHeaders(record: GenerationRecord): Record<string, string> {
  return addOrigin({}, record);
}

function addOrigin(headers: Record<string, string>, { provider, upstreamModel, dropped }: GenerationRecord): Record<string, string> {
  if (upstreamModel !== undefined) headers[SERVED_BY] = headerText(`${provider}/${upstreamModel}`);
  if (dropped.size > 0) headers[DROPPED] = headerText([...dropped].join(', '));
  return headers;
}

/** Header values are ASCII without control characters; a provider's name for its model may have others. */
function headerText(text: string): string {
  return text.slice(0, 1000).replace(/[^\x20-\x7e]/g, '?');
}
