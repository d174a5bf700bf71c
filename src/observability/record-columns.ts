import type { JsonColumns } from '../database/json-rows.js';

/** What usage rows say of a request beside its charge. */
export const recordColumns = {
  began_at: 'int',
  duration_ms: 'int',
  client_request_id: 'text',
  streamed: 'int',
  status: 'int',
  error_code: 'text',
  error_message: 'text',
  attempts: 'text',
  dropped_parameters: 'text',
} as const satisfies JsonColumns;

export const recordNames = Object.keys(recordColumns) as readonly (keyof typeof recordColumns)[];
