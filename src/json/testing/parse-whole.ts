import type { BufferList } from '../buffer-list.js';
import { parseJsonBody } from '../json-body.js';
import { JsonScan } from '../json-scan.js';

/** Scans and parses a body that is there as a whole. */
export function parseWhole(body: BufferList): Record<string, unknown> {
  const scan = new JsonScan();
  for (const buffer of body) scan.feed(buffer);
  return parseJsonBody(body, scan);
}
