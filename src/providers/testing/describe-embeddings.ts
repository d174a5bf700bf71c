import { inspect } from 'node:util';
import { deepFreeze } from '../../config/deep-freeze.js';
import { isProviderError, type ProviderError, type ProviderErrorKind } from '../contract/provider-error.js';
import { type TestCall, testCall } from './call.js';
import type { RecordedRequest, Reply } from './loopback-upstream.js';
import type { EmbeddingsFixture } from './provider-suite.js';
import type { SuiteContext } from './suite-context.js';
import { API_KEY } from './suite-entry.js';

const statuses: readonly (readonly [number, ProviderErrorKind])[] = [
  [400, 'invalid_request'],
  [401, 'authentication'],
  [404, 'model_unavailable'],
  [429, 'rate_limited'],
  [503, 'overloaded'],
];

/** Milliseconds in which a busy machine, too, does what happens at once; the entry's own timeouts are longer. */
const SOON = 8_000;

/** A provider with embeddings answers all inputs in their order, fails by kinds of errors, and gives up when told to. */
export function describeEmbeddings(context: SuiteContext): void {
  const { suite } = context;
  const { embeddings: fixtures = [] } = suite;
  const [first] = fixtures;

  const replyOf = ({ answer, headers }: EmbeddingsFixture): Reply => ({
    headers: { 'content-type': 'application/json', ...headers },
    body: answer,
  });
  const embed = ({ request, upstreamModel }: EmbeddingsFixture, reply: Reply, call: TestCall = testCall({ upstreamModel })) => {
    context.upstream.replies(reply);
    return context.provider.embed!(deepFreeze(request), call);
  };
  const asked = (): RecordedRequest => {
    const [request] = context.upstream.requests;
    if (!request) throw new Error('nothing was asked');
    return request;
  };
  const failing = async (fixture: EmbeddingsFixture, reply: Reply): Promise<ProviderError> => {
    const error: unknown = await embed(fixture, reply).then(
      () => 'no error',
      (thrown: unknown) => thrown,
    );
    if (!isProviderError(error)) throw new Error(`not a ProviderError: ${inspect(error)}`);
    expect(inspect(error, { depth: 10 })).not.toContain(API_KEY);
    return error;
  };

  describe('embeddings', () => {
    context.test('are shown by a fixture where a model makes them', async () => {
      const makes = (await context.models()).some(({ capabilities }) => capabilities.embeddings);
      if (makes) expect([typeof context.provider.embed, typeof first]).toEqual(['function', 'object']);
    });

    for (const fixture of fixtures) {
      context.test(`${fixture.name}: are read in the order of the inputs`, async () => {
        expect(await embed(fixture, replyOf(fixture))).toEqual(fixture.expect);
        expect(fixture.expect.embeddings).toHaveLength(fixture.request.input.length);
      });

      context.test(`${fixture.name}: are asked for all inputs, with what the fixture says`, async () => {
        await embed(fixture, replyOf(fixture));
        const body = context.sent(asked());
        expect(`${decodeURIComponent(asked().path)} ${JSON.stringify(body)}`).toContain(fixture.upstreamModel);
        for (const input of fixture.request.input) expect(JSON.stringify(body)).toContain(JSON.stringify(input));
        expect(body).toMatchObject(fixture.sends);
      });
    }
    if (!first) return;

    for (const [status, kind] of statuses) {
      context.test(`status ${status} is ${kind}`, async () => {
        const headers = { 'content-type': 'application/json', 'retry-after': '7' };
        const error = await failing(first, { status, headers, body: suite.errorBody(status, `Something about ${API_KEY}`) });
        expect([error.kind, error.status, error.retryAfterMs]).toEqual([kind, status, 7_000]);
      });
    }

    context.test('are none where the answer is none, or not all of it came', async () => {
      const whole = replyOf(first);
      const bodies = ['', '[]', '{}', 'null', '<!doctype html><html></html>', Buffer.from(first.answer).subarray(0, -3)];
      for (const body of bodies) expect((await failing(first, { ...whole, body })).kind).toBe('bad_response');
      const length = { 'content-length': `${first.answer.length + 50}` };
      const cut = await failing(first, { ...whole, headers: { ...whole.headers, ...length }, ending: 'reset' });
      expect(['bad_response', 'unreachable']).toContain(cut.kind);
    });

    for (const ending of ['silent', 'stall'] as const) {
      context.test(`an abort closes the connection (${ending})`, async () => {
        const abort = new AbortController();
        const next = context.upstream.nextRequest();
        const call = testCall({ upstreamModel: first.upstreamModel, signal: abort.signal });
        const ended = embed(first, { ...replyOf(first), after: 5, ending }, call).catch((error: unknown) => error);
        const request = await next;
        const since = performance.now();
        abort.abort();
        expect(isProviderError(await ended)).toBe(true);
        await request.closed;
        expect(performance.now() - since).toBeLessThan(SOON);
      });
    }

    context.test('ask nothing for a request that was given up before', async () => {
      const call = testCall({ upstreamModel: first.upstreamModel, signal: AbortSignal.abort() });
      await expect(embed(first, replyOf(first), call)).rejects.toMatchObject({ name: 'ProviderError' });
      expect(context.upstream.requests).toEqual([]);
    });
  });
}
