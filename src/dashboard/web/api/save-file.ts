import { failureOf, unreachable } from './failure';

/** Milliseconds between two reports. */
const REPORT = 200;

const LINE_FEED = 10;

/**
 * Saves a file of rows that the administration API writes as it reads them. The browser is handed the whole file, or
 * none.
 * @param report is called with the rows that have come, and those that will
 * @returns the rows
 * @throws Failure
 */
export async function saveFile(
  address: string,
  name: string,
  signal: AbortSignal,
  report: (done: number, total: number) => void,
): Promise<number> {
  const response = await fetch(address, { signal }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined));
  const total = Number(response.headers.get('x-switchyard-rows'));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body!.getReader();
  let lines = 0;
  let reported = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new Error('The connection broke off before the file was complete.', { cause: error });
    });
    if (done) break;
    parts.push(value);
    for (const byte of value) if (byte === LINE_FEED) lines++;
    if (performance.now() - reported < REPORT) continue;
    reported = performance.now();
    // A row may have several lines.
    report(Math.min(lines, total), total);
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type: response.headers.get('content-type') ?? '' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return total;
}
