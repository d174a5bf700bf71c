import { api, answerOf, changeHeaders, type Schemas } from '../../api/client';
import { Failure, failureOf, unreachable } from '../../api/failure';
import type { Environment } from '../../ui/preferences';
import { type Answer, type Chunk, MAX_ANSWER, sizeOf, withChunk } from './answer';
import { type Mode, newId } from './conversation';
import { EventLines } from './event-lines';

export interface Place {
  readonly account: string;
  readonly environment: Environment;
}

/** Milliseconds between looks for the record of a request, which is stored some seconds after it has ended. */
const LOOKS = [300, 500, 700, 1_000, 1_000, 1_500, 2_000, 3_000, 5_000, 8_000];

/**
 * Has a model answer. What has come is told as it comes; whoever aborts leaves the gateway, which then leaves the
 * provider.
 * @param show is called with each event
 * @returns the answer as it has ended, however that was
 * @throws Failure where the session has ended
 */
export async function generate(
  { account, environment }: Place,
  mode: Mode,
  body: object,
  answer: Answer,
  leaving: AbortController,
  show: (answer: Answer) => void,
): Promise<{ answer: Answer; clientId: string }> {
  const clientId = newId();
  const began = performance.now();
  const elapsed = (): number => Math.round(performance.now() - began);
  let current = answer;
  const ended = (fields: Partial<Answer>) => ({ clientId, answer: { ...current, totalMs: elapsed(), ...fields } });
  try {
    const operation = mode === 'chat' ? 'chat/completions' : 'completions';
    const path = `/admin/v1/accounts/${encodeURIComponent(account)}/playground/${operation}?environment=${environment}`;
    const response = await fetch(path, {
      method: 'POST',
      headers: { ...changeHeaders(), 'content-type': 'application/json', 'x-request-id': clientId },
      body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
      signal: leaving.signal,
    }).catch((error: unknown) => {
      throw leaving.signal.aborted ? error : unreachable();
    });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const told = ({ headers }: { readonly headers: Headers }): void => {
      current = { ...current, requestId, dropped: headers.get('x-switchyard-dropped-parameters') ?? current.dropped };
    };
    told(response);
    if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined));
    const lines = new EventLines();
    for await (const data of dataOf(response, lines)) {
      told(lines);
      if (data === '[DONE]') return ended({ state: 'done' });
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error) throw new Failure(chunk.error.message ?? 'The answer broke off.', 200, chunk.error.code ?? '', null);
      const before = sizeOf(current);
      current = withChunk(current, chunk);
      if (current.firstTokenMs === undefined && sizeOf(current) > before)
        current = { ...current, state: 'streaming', firstTokenMs: elapsed() };
      if (sizeOf(current) > MAX_ANSWER) {
        leaving.abort();
        return ended({ state: 'cut' });
      }
      show(current);
    }
    throw new Error('The connection broke off before the answer was complete.');
  } catch (error) {
    if (leaving.signal.aborted) return ended({ state: 'stopped' });
    if (error instanceof Failure && error.status === 401) throw error;
    return ended({ state: 'failed', error: error instanceof Error ? error.message : String(error) });
  }
}

/** The data of the events of a response. The connection is closed when nobody wants more of them. */
async function* dataOf({ body }: Response, lines: EventLines): AsyncGenerator<string> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new Error('The connection broke off before the answer was complete.', { cause: error });
      });
      yield* lines.push(decoder.decode(value, { stream: !done }));
      if (done) return;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/**
 * What a request has cost, from its record, as soon as it is stored.
 * @param ids the gateway's id, or where it is not known (nothing had come yet) this page's own
 * @returns undefined where no record has come in time
 */
export async function recordOf(
  { account, environment }: Place,
  ids: { readonly requestId?: string; readonly clientId?: string },
): Promise<Schemas['RequestView'] | undefined> {
  const query = ids.requestId === undefined ? { environment, limit: 50 } : { id: ids.requestId, limit: 1 };
  let found: Schemas['RequestView'] | undefined;
  for (const look of LOOKS) {
    await new Promise((next) => setTimeout(next, look));
    const page = await answerOf(api.GET('/admin/v1/accounts/{account}/requests', { params: { path: { account }, query } }));
    found = page.data.find((one) => one.request_id === ids.requestId || one.client_request_id === ids.clientId);
    // What a provider still counts is settled later.
    if (found && (found.charged !== null || (found.status ?? 0) >= 400)) return found;
  }
  return found;
}
