import { existsSync, readFileSync } from 'node:fs';

interface Calls {
  /** For people to read. */
  readonly lines: readonly string[];
  /** Operations of the description that were not called. */
  readonly missing: number;
}

/**
 * Compares what was called with what is described.
 * @param file METHOD, address and status of each call, as hooks.py notes them
 */
export async function callsOf(document: string, key: string, file: string): Promise<Calls> {
  const answer = await fetch(document, { headers: { authorization: `Bearer ${key}` } });
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> };
  // Schemathesis leaves the description itself out: it has read it.
  delete paths[new URL(document).pathname];
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const statuses = new Map<string, string[]>();
  const calls = existsSync(file) ? readFileSync(file, 'utf8') : '';
  for (const line of calls.trimEnd().split('\n')) {
    const [, operation = '', status = ''] = /^(\S+ .+) (\d+)$/.exec(line) ?? [];
    statuses.set(operation, [...(statuses.get(operation) ?? []), status]);
  }
  const missing = described.filter((operation) => !statuses.has(operation));
  const unserved = described.filter((operation) => statuses.get(operation)?.every((status) => !status.startsWith('2')));
  const list = (title: string, operations: readonly string[]) =>
    operations.length > 0 ? [`${title}:`, ...operations.map((operation) => `  ${operation}`)] : [];
  return {
    lines: [
      `${described.length} operations, of which ${described.length - missing.length} were called and ${described.length - missing.length - unserved.length} succeeded`,
      ...list('not called', missing),
      ...list('called, never with success', unserved),
    ],
    missing: missing.length,
  };
}
