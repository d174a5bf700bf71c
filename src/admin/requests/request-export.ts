import { csvLine } from '../csv-line.js';
import type { RequestView } from '../../observability/request-view.js';

/** A form in which requests are exported. */
export interface ExportForm {
  /** The first line; absent where there is none. */
  readonly head?: string;
  line(request: RequestView): string;
}

const columns = [
  'request_id',
  'client_request_id',
  'created_at',
  'duration_ms',
  'key_id',
  'environment',
  'operation',
  'model',
  'provider',
  'streamed',
  'status',
  'outcome',
  'error_code',
  'error_message',
  'prompt_tokens',
  'completion_tokens',
  'estimated',
  'price_prompt',
  'price_completion',
  'charged',
  'collected',
  'uncollected',
  'saved_by_cache',
  'spent_on_cache_writes',
  'dropped_parameters',
  'contradictory',
] as const satisfies (keyof RequestView)[];

/** One JSON object a line. */
export const jsonLines: ExportForm = { line: (request) => `${JSON.stringify(request)}\n` };

/** RFC 4180, with a line of names first. */
export const csv: ExportForm = {
  head: csvLine(columns),
  line: (request) => csvLine(columns.map((name) => request[name])),
};
