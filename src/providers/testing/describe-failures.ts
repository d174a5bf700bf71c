import { inspect } from 'node:util';
import { longForm } from '../../common/testing/long-form.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { isProviderError, type ProviderError, type ProviderErrorKind } from '../contract/provider-error.js';
import { testCall } from './call.js';
import { collect } from './collect.js';
import type { Reply } from './loopback-upstream.js';
import { expectedChoices, type SuiteContext, withStream } from './suite-context.js';
import { API_KEY } from './suite-entry.js';

const statuses: readonly (readonly [number, ProviderErrorKind])[] = [
  [400, 'invalid_request'],
  [401, 'authentication'],
  [402, 'insufficient_quota'],
  [403, 'authentication'],
  [404, 'model_unavailable'],
  [408, 'timeout'],
  [413, 'request_too_large'],
  [422, 'invalid_request'],
  [429, 'rate_limited'],
  [500, 'overloaded'],
  [502, 'overloaded'],
  [503, 'overloaded'],
  [529, 'overloaded'],
];

/** Bytes between the offsets at which a response breaks off in the long form. */
const STRIDE = 23;

/** Offsets at which a whole body breaks off otherwise. */
const BODIES = 4;

/** An error is named by its kind and shows no secret, and a part of a response never passes for the whole. */
export function describeFailures(context: SuiteContext): void {
  const { suite } = context;
  const json = (body: string | Buffer) => context.reply(false, body);
  const sse = (body: string | Buffer) => context.reply(true, body);
  const errorReply = (body: string) => ({ headers: { 'content-type': 'application/json' }, body });

  const failing = async (stream: boolean, reply: Reply): Promise<{ error: ProviderError; chunks: GenerationChunk[] }> => {
    context.upstream.replies(reply);
    const outcome = await outcomeOf(context, stream);
    if (!isProviderError(outcome.error)) throw new Error(`not a ProviderError: ${inspect(outcome.error)}`);
    expect(inspect(outcome, { depth: 10 })).not.toContain(API_KEY);
    return { error: outcome.error, chunks: outcome.chunks };
  };

  describe('failures', () => {
    for (const [status, kind] of statuses) {
      context.test(`status ${status} is ${kind}`, async () => {
        const body = suite.errorBody(status, `Something about ${API_KEY}, that is sk-te*****f0`);
        for (const stream of [false, true]) {
          const { error } = await failing(stream, {
            body,
            status,
            headers: { 'content-type': 'application/json', 'retry-after': '7' },
          });
          expect([error.kind, error.status, error.retryAfterMs]).toEqual([kind, status, 7_000]);
          expect(error.message).not.toContain('sk-te');
          if (kind === 'invalid_request') expect(error.message).toContain('Something about');
          if (kind === 'authentication' || kind === 'insufficient_quota') expect(error.message).not.toContain('Something about');
        }
        const { error } = await failing(true, { status, headers: { 'content-type': 'text/html' }, body: '<html><h1>No</h1></html>' });
        expect(error.kind).toBe(kind);
      });
    }

    context.test('a long vendor text is cut', async () => {
      const { error } = await failing(false, { ...errorReply(suite.errorBody(400, 'x'.repeat(50_000))), status: 400 });
      expect(error.message.length).toBeLessThanOrEqual(1_000);
    });

    for (const failure of suite.failures) {
      context.test(`${failure.name} is ${failure.kind}`, async () => {
        const { status = 200, headers, body, streamed = false, kind, retryAfterMs, message } = failure;
        const reply = streamed ? sse(body) : json(body);
        const { error } = await failing(streamed, { ...reply, status, headers: { ...reply.headers, ...headers } });
        expect(error.kind).toBe(kind);
        expect(error.retryAfterMs).toBe(retryAfterMs);
        if (message) expect(error.message).toMatch(message);
      });
    }

    const useless: [string, Reply][] = [
      ['a page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html><html><body>Welcome</body></html>' }],
      ['an empty body', json('')],
      ['an empty stream', sse('')],
      ['a body without a type', { body: '' }],
      ['JSON of another kind', json('[]')],
      ['an empty object', json('{}')],
      ['an event that is not JSON', sse('data: {"choices":[{"index":0,"delta"\n\n')],
    ];
    for (const [name, reply] of useless) {
      context.test(`${name} with status 200 is bad_response`, async () => {
        for (const stream of [false, true]) expect((await failing(stream, reply)).error.kind).toBe('bad_response');
      });
    }

    context.test('a redirect is not followed', async () => {
      const { error } = await failing(false, { status: 307, headers: { location: `${context.upstream.origin}/v1/elsewhere` } });
      expect(error.kind).toBe('bad_response');
      expect(context.upstream.requests).toHaveLength(1);
    });

    for (const { name, request, whole, stream, expect: expected } of suite.fixtures) {
      if (whole) {
        context.test(`${name}: a body that breaks off is bad_response`, async () => {
          const length = Buffer.byteLength(whole.toString().trimEnd());
          for (let after = 1; after < length; after += longForm ? STRIDE : Math.ceil(length / BODIES)) {
            for (const ending of ['end', 'reset'] as const) {
              context.upstream.replies({ ...json(whole), after, ending });
              const { error } = await outcomeOf(context, false, withStream(request, false));
              expect(error).toMatchObject({ name: 'ProviderError', kind: 'bad_response' });
            }
          }
        });
      }
      if (stream) {
        context.test(`${name}: a stream that breaks off never looks complete`, async () => {
          let failed = 0;
          for (const breach of breaches(context.frameEnds(stream), stream)) {
            context.upstream.replies({ ...sse(stream), ...breach });
            const { error, chunks } = await outcomeOf(context, true, withStream(request, true));
            if (error) {
              failed++;
              expect(error).toMatchObject({ name: 'ProviderError', kind: 'bad_response' });
              expect(chunks.every(({ choices }) => choices.every(({ finish_reason }) => finish_reason === null))).toBe(true);
            } else expect(collect(chunks).choices).toEqual(expectedChoices(expected));
          }
          expect(failed).toBeGreaterThan(0);
        });

        context.test(`${name}: a stream that ends between two frames never looks complete`, async () => {
          for (const after of context.frameEnds(stream).filter((end) => end < stream.length)) {
            context.upstream.replies({ ...sse(stream), after });
            const { error, chunks } = await outcomeOf(context, true, withStream(request, true));
            if (error) {
              expect(error).toMatchObject({ name: 'ProviderError', kind: 'bad_response' });
              expect(chunks.every(({ choices }) => choices.every(({ finish_reason }) => finish_reason === null))).toBe(true);
            } else expect(collect(chunks).choices).toEqual(expectedChoices(expected));
          }
        });
      }
    }
  });
}

/** In each frame an end behind its first byte and in its middle, and there a reset; in the long form at more offsets. */
function* breaches(frameEnds: readonly number[], { length }: Buffer): Generator<Reply> {
  let begin = 0;
  for (const end of [...frameEnds, length]) {
    const step = longForm ? STRIDE : Math.ceil((end - begin) / 2);
    for (let after = begin + 1; after < end; after += step) {
      yield { after, ending: 'end' };
      if (longForm || after > begin + 1) yield { after, ending: 'reset' };
    }
    begin = end;
  }
}

async function outcomeOf(
  context: SuiteContext,
  stream: boolean,
  request = context.request(stream),
): Promise<{ error: unknown; chunks: GenerationChunk[] }> {
  const chunks: GenerationChunk[] = [];
  try {
    for await (const chunk of context.provider.generate(request, testCall())) chunks.push(chunk);
    return { error: undefined, chunks };
  } catch (error) {
    return { error, chunks };
  }
}
