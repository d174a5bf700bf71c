import type { Environment } from '../../auth/principal.js';
import type { Price } from '../../common/prices/credits.js';
import type { PromptCount } from '../hold/ledger.js';
import { crashedEnding, type Ending, type RequestFacts } from '../hold/request-facts.js';
import { endingOf, priceOf } from './usage-rows.js';

/**
 * The journal's lines are JSON arrays: the kind, then the request's number in its journal, then what the kind has to
 * say. Amounts are decimal text, as JSON has no integers of 64 bits; in a usage row only those beyond 2^53.
 */
export function beginLine(number: number, request: RequestFacts): string {
  const { requestId, principal, operation, model, price, leaseId, hold, startedAt } = request;
  return `${JSON.stringify([
    'begin',
    number,
    requestId,
    principal.accountId,
    principal.environment,
    principal.keyId,
    operation,
    model,
    `${price.prompt}`,
    `${price.completion}`,
    leaseId ?? '',
    `${hold}`,
    startedAt,
    price.id ?? '',
    ...(price.components ? [price.components.text] : []),
  ])}\n`;
}

export function progressLine(number: number, promptTokens: number, completionTokens: number): string {
  return `["progress",${number},${promptTokens},${completionTokens}]\n`;
}

/** The prompts of the request's upstream calls, where their parts have prices of their own. */
export function promptLine(number: number, prompts: readonly PromptCount[]): string {
  return `["prompt",${number},${JSON.stringify(prompts)}]\n`;
}

/** The offer that answers has another price than the hold. */
export function servedLine(number: number, { prompt, completion, components, id = '' }: Price): string {
  const more = components ? `,${JSON.stringify(components.text)}` : '';
  return `["served",${number},"${prompt}","${completion}",${JSON.stringify(id)}${more}]\n`;
}

/** @param row the request's usage row, as `rowOf` makes it */
export function endLine(number: number, row: string, excess: bigint): string {
  return excess > 0n ? `["end",${number},${row},"${excess}"]\n` : `["end",${number},${row}]\n`;
}

interface Entry {
  request: RequestFacts;
  promptTokens: number;
  completionTokens: number;
  prompts?: readonly PromptCount[];
  end?: Ending;
}

/** How each request of a dead process ended, or else what it had delivered. A torn or garbled line is skipped. */
export function readJournal(text: string, now: number): Ending[] {
  const entries = new Map<number, Entry>();
  for (const line of text.split('\n')) {
    try {
      read(JSON.parse(line) as unknown[], entries);
    } catch {
      continue;
    }
  }
  return Array.from(entries.values(), ({ request, end, ...delivered }) => end ?? crashedEnding(request, delivered, now));
}

function read(record: unknown[], entries: Map<number, Entry>): void {
  const [kind, number] = record as [string, number];
  if (kind === 'begin') {
    entries.set(number, { request: toRequest(record), promptTokens: 0, completionTokens: 0 });
    return;
  }
  const entry = entries.get(number);
  if (!entry) return;
  if (kind === 'progress') [, , entry.promptTokens, entry.completionTokens] = record as [string, number, number, number];
  else if (kind === 'prompt') entry.prompts = record[2] as readonly PromptCount[];
  else if (kind === 'served') entry.request = { ...entry.request, price: priceOf(record[2], record[3], record[4], record[5]) };
  else if (kind === 'end') entry.end = endingOf(entry.request, record[2] as unknown[], (record[3] as string | undefined) ?? '0');
}

function toRequest(record: unknown[]): RequestFacts {
  const [, , requestId, accountId, environment, keyId, operation, model, prompt, completion, leaseId, hold] = record as string[];
  return {
    requestId: requestId!,
    principal: { accountId: accountId!, environment: environment as Environment, keyId: keyId! },
    operation: operation as RequestFacts['operation'],
    model: model!,
    price: priceOf(prompt, completion, record[13], record[14]),
    leaseId: leaseId || undefined,
    hold: BigInt(hold!),
    startedAt: record[12] as number,
  };
}
