import type { Environment } from '../../auth/principal.js';
import type { Price } from '../../common/credits.js';
import type { Outcome } from '../hold/ledger.js';
import { CRASHED, crashedEnding, type Ending, type RequestFacts } from '../hold/request-facts.js';

/**
 * The journal's lines are JSON arrays: the kind, then the request's number in its journal, then what the kind has to
 * say. Amounts are decimal text, as JSON has no integers of 64 bits.
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
  ])}\n`;
}

export function progressLine(number: number, promptTokens: number, completionTokens: number): string {
  return `["progress",${number},${promptTokens},${completionTokens}]\n`;
}

/** The offer that answers has another price than the hold. */
export function servedLine(number: number, { prompt, completion, id = '' }: Price): string {
  return `["served",${number},"${prompt}","${completion}",${JSON.stringify(id)}]\n`;
}

/** The hold has grown to `hold` nano-credits. */
export function extendLine(number: number, hold: bigint): string {
  return `["extend",${number},"${hold}"]\n`;
}

export function endLine(number: number, { charge, outcome, estimated, provider, endedAt }: Ending): string {
  const { amount, promptTokens, completionTokens, price } = charge;
  return `${JSON.stringify([
    'end',
    number,
    outcome,
    `${amount}`,
    promptTokens,
    completionTokens,
    `${price.prompt}`,
    `${price.completion}`,
    estimated ? 1 : 0,
    provider ?? '',
    endedAt,
    price.id ?? '',
  ])}\n`;
}

interface Entry {
  request: RequestFacts;
  promptTokens: number;
  completionTokens: number;
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
  else if (kind === 'extend') entry.request = { ...entry.request, hold: BigInt(record[2] as string) };
  else if (kind === 'served') entry.request = { ...entry.request, price: toPrice(record[2], record[3], record[4]) };
  else if (kind === 'end') entry.end = toEnding(entry.request, record);
}

function toRequest(record: unknown[]): RequestFacts {
  const [, , requestId, accountId, environment, keyId, operation, model, prompt, completion, leaseId, hold] = record as string[];
  return {
    requestId: requestId!,
    principal: { accountId: accountId!, environment: environment as Environment, keyId: keyId! },
    operation: operation as RequestFacts['operation'],
    model: model!,
    price: toPrice(prompt, completion, record[13]),
    leaseId: leaseId || undefined,
    hold: BigInt(hold!),
    startedAt: record[12] as number,
  };
}

/** Journals of earlier versions have no price id. */
function toPrice(prompt: unknown, completion: unknown, id: unknown): Price {
  return { prompt: BigInt(prompt as string), completion: BigInt(completion as string), ...(id ? { id: id as string } : {}) };
}

function toEnding(request: RequestFacts, record: unknown[]): Ending {
  const [, , outcome, amount, promptTokens, completionTokens, prompt, completion, estimated, provider, endedAt, priceId] = record;
  return {
    request,
    charge: {
      amount: BigInt(amount as string),
      promptTokens: promptTokens as number,
      completionTokens: completionTokens as number,
      price: toPrice(prompt, completion, priceId),
    },
    outcome: outcome as Outcome | typeof CRASHED,
    estimated: estimated === 1,
    provider: (provider as string) || undefined,
    endedAt: endedAt as number,
  };
}
