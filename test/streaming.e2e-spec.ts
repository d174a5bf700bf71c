import fc from 'fast-check';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { eventsOf, payloadsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { sendRaw } from './support/raw-socket.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError, expectShape } from './support/wire-schemas.js';

const messages = [{ role: 'user', content: 'How do I bake bread?' }];
const operations: [string, object][] = [
  ['chat/completions', { messages, max_tokens: 10, seed: 7 }],
  ['completions', { prompt: 'The kitchen was warm and', max_tokens: 10, seed: 7 }],
];

describe('streams', () => {
  const clock = ManualClock.running();
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const settings: Parameters<typeof Gateway.start>[0] = {
      // However slow the machine is, no stream begins with a comment.
      server: { early_heartbeat: false },
      routing: { first_token_timeout: 3_000, retries: 0 },
      providers: {
        upstream: {
          base_url: `${upstream.origin}/v1`,
          models: { 'upstream-omni': { pricing: { prompt: 1, completion: 1 }, capabilities: { completion: true } } },
        },
      },
    };
    return Gateway.start(settings, undefined, clock);
  });

  const open = (): number => gateway.running.app.get(OpenRequests).size;
  /** No request is open, and no credits are held for one. */
  async function nothingOpen(): Promise<void> {
    await until(() => open() === 0, 'the end of the request');
    await gateway.balance();
  }

  describe.each(operations)('of POST /v1/%s', (path, fields) => {
    const stream = (model: string, more: object = {}) => gateway.stream(path, { model, ...fields, ...more });

    it('are exactly data lines between blank lines, [DONE] last', async () => {
      const body = JSON.stringify({ model: 'sandbox-omni', stream: true, ...fields });
      const head = `POST /v1/${path} HTTP/1.0\r\nhost: x\r\nauthorization: Bearer ${gateway.customer.liveKey}\r\ncontent-type: application/json\r\n`;
      const { text } = await sendRaw(gateway.running.port, `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      const [responseHead, payload] = [text.slice(0, text.indexOf('\r\n\r\n')), text.slice(text.indexOf('\r\n\r\n') + 4)];
      expect(responseHead).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(payload).toMatch(/^(data: \{[^\r\n]*\}\n\n){3,}data: \[DONE\]\n\n$/);
    });

    it('have the head of an event stream', async () => {
      const answer = await stream('sandbox-omni');
      await answer.text();
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      expect(answer.headers).not.toHaveProperty('content-length');
      expect(answer.complete).toBe(true);
    });

    it('are framed alike whatever the answer', async () => {
      const sampling = fc.record({
        temperature: fc.constantFrom(0, 1, 2),
        seed: fc.nat(),
        max_tokens: fc.integer({ min: 1, max: 30 }),
        n: fc.integer({ min: 1, max: 3 }),
        stop: fc.constantFrom(undefined, ' ', 'e', ['.', ',']),
        stream_options: fc.constantFrom(undefined, { include_usage: true }),
      });
      await fc.assert(
        fc.asyncProperty(sampling, async (more) => {
          const text = await (await stream('sandbox-omni', more)).text();
          const events = eventsOf<{ choices: { index: number; finish_reason: string | null }[] }>(text);
          for (const event of events) expectShape(path === 'completions' ? 'completionEvent' : 'chatCompletionEvent', event);
          const ends = events.flatMap(({ choices }) => choices).filter(({ finish_reason }) => finish_reason !== null);
          expect(ends.map(({ index }) => index).sort((a, b) => a - b)).toEqual(Array.from({ length: more.n }, (_, index) => index));
        }),
        { numRuns: 40 },
      );
    });

    it.each([
      ['sandbox-overloaded', 503, 'model_overloaded'],
      ['sandbox-rate-limited', 429, 'rate_limit_exceeded'],
      ['sandbox-unreachable', 502, 'upstream_error'],
      ['sandbox-refused', 400, 'content_policy_violation'],
      ['sandbox-slow', 504, 'upstream_timeout'],
      ['no-such-model', 404, 'model_not_found'],
    ])('that fail before their first event are ordinary errors (%s)', async (model, status, code) => {
      const answer = await clock.advanceUntil(stream(model));
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expectError({ status: answer.status, body: JSON.parse(await answer.text()) }, status, code);
    });

    it('are kept open by comments while nothing comes', async () => {
      const answer = await stream('sandbox-stall');
      await clock.advance(gateway.running.config.server.heartbeat + 1_000);
      await until(() => answer.received.includes(': keep-alive\n\n'), 'a heartbeat');
      expect(answer.received).not.toMatch(/^(id|event|retry):/m);
      answer.leave();
      await nothingOpen();
    });

    it('go through the gateway as they are generated, and close the provider’s connection when the client leaves', async () => {
      upstream.replies({ headers: sse, body: vendorStream(path).slice(0, 2).join(''), ending: 'stall' });
      const answer = await stream('upstream-omni');
      expect(contentOf(await answer.next())).toBe('Hel');
      expect(contentOf(await answer.next())).toBe('lo');
      const [request] = upstream.requests;
      answer.leave();
      await request!.closed;
      await nothingOpen();
    });

    it('of a provider are the same in the client’s envelope', async () => {
      upstream.replies({ headers: sse, body: vendorStream(path).join('') });
      const events = eventsOf<{ id: string; model: string }>(await (await stream('upstream-omni')).text());
      expect(events.map(contentOf).join('')).toBe('Hello \u{1F600} "you"\n');
      for (const event of events) {
        expectShape(path === 'completions' ? 'completionEvent' : 'chatCompletionEvent', event);
        expect(event).toMatchObject({ id: events[0]!.id, model: 'upstream-omni' });
        expect(event.id).not.toBe('vendor-1');
      }
    });

    it.each<[string, Reply]>([
      ['broken off', { ending: 'reset' }],
      ['ended without a finish_reason', {}],
    ])('of a provider that are %s end without [DONE]', async (_, ending) => {
      upstream.replies({ headers: sse, body: vendorStream(path).slice(0, 2).join(''), ...ending });
      const payloads = payloadsOf(await (await stream('upstream-omni')).text());
      expect(payloads).not.toContain('[DONE]');
      expect(JSON.parse(payloads.at(-1)!)).toMatchObject({ error: { type: 'api_error', code: 'upstream_error' } });
    });
  });

  it.each(operations)(
    'and whole answers of POST /v1/%s are a completion or an error in the envelope, whatever JSON is asked',
    async (path, good) => {
      const names = [
        'model',
        'messages',
        'prompt',
        'temperature',
        'max_tokens',
        'tools',
        'tool_choice',
        'stop',
        'n',
        'best_of',
        'echo',
        'suffix',
      ];
      const more = ['stream', 'logprobs', 'top_logprobs', 'response_format', 'x'];
      const body = fc.dictionary(fc.constantFrom(...names, ...more), fc.jsonValue({ maxDepth: 3 }));
      const whole = { model: 'sandbox-omni', ...good, max_tokens: 2 };
      await fc.assert(
        fc.asyncProperty(body, fc.subarray(Object.keys(whole)), async (fields, fixed) => {
          const kept = Object.fromEntries(Object.entries(whole).filter(([name]) => fixed.includes(name)));
          const answer = await gateway.post(path, { ...fields, ...kept });
          if (answer.status === 200) return;
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
          expectShape('error', answer.body);
        }),
        { numRuns: 150 },
      );
    },
  );

  it('that fall silent end with an error event after the operator’s patience', async () => {
    const answer = await gateway.stream('chat/completions', { model: 'sandbox-stall', messages });
    await answer.next();
    // Silence ends a call after one to two idle timeouts.
    await clock.advance(2 * gateway.running.config.routing.idle_timeout);
    const payloads = payloadsOf(await answer.text());
    expect(payloads).not.toContain('[DONE]');
    expect(JSON.parse(payloads.at(-1)!)).toMatchObject({ error: { code: 'upstream_timeout' } });
  });
});

const sse = { 'content-type': 'text/event-stream' };

/** A vendor's events, in its own envelope and with its own habits. */
function vendorStream(path: string): string[] {
  const event = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'vendor-1', object: 'x', created: 1, model: 'vendor-model', choices: [{ index: 0, ...choice }], usage: null, ...more })}\n\n`;
  const piece = (text: string) =>
    path === 'completions'
      ? event({ text, logprobs: null, finish_reason: null })
      : event({ delta: { content: text }, finish_reason: null });
  const last = path === 'completions' ? { text: '"you"\n' } : { delta: { content: '"you"\n' } };
  return [
    piece('Hel'),
    piece('lo'),
    piece(' \u{1F600} '),
    event({ ...last, finish_reason: 'stop' }, { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }),
    'data: [DONE]\n\n',
  ];
}

function contentOf(event: unknown): string {
  const [choice] = (event as { choices: { text?: string; delta?: { content?: string } }[] }).choices;
  return choice?.text ?? choice?.delta?.content ?? '';
}
