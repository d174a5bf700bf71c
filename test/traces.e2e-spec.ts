import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import request from 'supertest';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { buildProgram } from './support/built-program.js';
import { Gateway } from './support/gateway.js';
import { GatewayProcess } from './support/gateway-process.js';
import { jsonReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  start: number;
  end: number;
  attributes: Record<string, unknown>;
  events: string[];
  failed: boolean;
}

type Raw = { key: string; value: Record<string, unknown> }[];

interface RawSpan extends Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'traceState' | 'name' | 'kind'> {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Raw;
  events?: { name: string; attributes: Raw }[];
  status?: { code?: number };
}

/** An OTLP/HTTP receiver, as a collector is. */
class Collector {
  readonly spans: Span[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly resources: Record<string, unknown>[] = [];
  text = '';
  readonly #server: Server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (data: Buffer) => (body += data.toString()));
    incoming.on('end', () => {
      if (incoming.url === '/otlp/v1/traces') this.#take(body, incoming.headers);
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/otlp`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(body: string, headers: IncomingHttpHeaders): void {
    this.text += body;
    this.headers.push(headers);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { resource: { attributes: Raw }; scopeSpans: { spans: RawSpan[] }[] }[];
    };
    const plain = (value: Record<string, unknown>): unknown => {
      const [kind, inner] = Object.entries(value)[0] ?? [];
      if (kind === 'arrayValue') return (inner as { values: Record<string, unknown>[] }).values.map(plain);
      return kind === 'intValue' ? Number(inner) : inner;
    };
    const record = (raw: Raw = []) => Object.fromEntries(raw.map(({ key, value }) => [key, plain(value)]));
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(record(resource.attributes));
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { startTimeUnixNano, endTimeUnixNano, attributes, events = [], status } = span;
        const { traceId, spanId, parentSpanId, traceState, name, kind } = span;
        const time = (nano: string) => Number(BigInt(nano) / 1000n) / 1000;
        this.spans.push({
          traceId,
          spanId,
          parentSpanId,
          traceState,
          name,
          kind,
          start: time(startTimeUnixNano),
          end: time(endTimeUnixNano),
          attributes: record(attributes),
          events: events.map((event) => `${event.name} ${Object.values(record(event.attributes)).join(' ')}`),
          failed: status?.code === 2,
        });
      }
    }
  }
}

const SERVER = 2;
const CLIENT = 3;
const question = 'A-QUESTION-NOBODY-ELSE-SEES';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${clientSpan}-01`;

const whole = jsonReply({
  choices: [{ index: 0, message: { role: 'assistant', content: 'An answer' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, prompt_tokens_details: { cached_tokens: 4 } },
});
const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const sse = (body: string) => ({ headers: { 'content-type': 'text/event-stream' }, body });

describe('traces', () => {
  const clock = ManualClock.running();
  const collector = new Collector();
  let endpoint: string;
  const gateways: Gateway[] = [];

  const flaky = useUpstream();
  const steady = useUpstream();
  beforeAll(async () => {
    endpoint = await collector.start();
  });
  beforeEach(() => {
    flaky.replies({ status: 503 });
    steady.replies(whole);
    collector.spans.length = 0;
  });
  afterEach(async () => {
    // Nobody takes the last spans of some.
    await clock.advanceUntil(Promise.all(gateways.splice(0).map((gateway) => gateway.close())));
  });
  afterAll(() => collector.stop());

  async function start(observability: object = { otlp_endpoint: endpoint, otlp_headers: { 'x-tenant': 'acme' } }): Promise<Gateway> {
    const models = { m: { upstream_model: 'm-2026', pricing: { prompt: 1, completion: 2 }, context_length: 10_000, max_tokens: 100 } };
    const providers = { flaky: { base_url: `${flaky.origin}/v1`, models }, steady: { base_url: `${steady.origin}/v1`, models } };
    const gateway = await Gateway.start({ providers, observability }, undefined, clock);
    gateways.push(gateway);
    return gateway;
  }

  /** Closing sends what waits. */
  async function sent(gateway: Gateway): Promise<{ root: Span; attempts: Span[] }> {
    gateways.splice(gateways.indexOf(gateway), 1);
    await gateway.close();
    const roots = collector.spans.filter(({ kind }) => kind === SERVER);
    expect(roots).toHaveLength(1);
    return { root: roots[0]!, attempts: collector.spans.filter(({ kind }) => kind === CLIENT) };
  }

  const body = { model: 'm', messages: [{ role: 'user', content: question }], temperature: 0.5, max_tokens: 50 };

  it('show a request and each of its attempts, in the words of the GenAI conventions', async () => {
    const gateway = await start();
    const before = Date.now();
    const answer = await gateway.post('chat/completions', body);
    const after = Date.now();
    expect(answer.status).toBe(200);
    const { root, attempts } = await sent(gateway);
    expect(root.name).toBe('chat m');
    expect(root.parentSpanId ?? '').toBe('');
    expect(root.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'url.path': '/v1/chat/completions',
      'url.scheme': 'http',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'steady',
      'gen_ai.request.model': 'm',
      'gen_ai.request.stream': false,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 50,
      'gen_ai.response.id': (answer.body as { id: string }).id,
      'gen_ai.response.model': 'm-2026',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'switchyard.request.id': answer.headers['x-request-id'],
      'switchyard.account.id': gateway.customer.accountId,
      'switchyard.key.id': expect.any(String),
      'switchyard.environment': 'live',
      'switchyard.outcome': 'completed',
      'switchyard.cost': 0.013,
    });
    expect(root.failed).toBe(false);
    expect(root.start).toBeGreaterThanOrEqual(before - 50);
    expect(root.end).toBeLessThanOrEqual(after + 50);

    expect(attempts.map(({ name, failed }) => ({ name, failed }))).toEqual([
      { name: 'chat m', failed: true },
      { name: 'chat m', failed: false },
    ]);
    expect(attempts[0]!.attributes).toMatchObject({
      'gen_ai.provider.name': 'flaky',
      'gen_ai.request.model': 'm',
      'http.response.status_code': 503,
      'error.type': 'overloaded',
    });
    expect(attempts[1]!.attributes).toMatchObject({ 'gen_ai.provider.name': 'steady', 'switchyard.outcome': 'served' });
    let last = before - 50;
    for (const span of attempts) {
      expect(span).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId });
      expect(span.start).toBeGreaterThanOrEqual(last);
      expect(span.end).toBeGreaterThanOrEqual(span.start);
      expect(span.end).toBeLessThanOrEqual(root.end + 1);
      last = span.start;
    }
    expect(collector.resources.at(-1)).toMatchObject({ 'service.name': 'switchyard', 'service.version': expect.any(String) });
    expect(collector.headers.at(-1)).toMatchObject({ 'x-tenant': 'acme' });
    expect(collector.text).not.toContain(question);
    expect(collector.text).not.toContain('An answer');
  });

  it('go on from the client’s, and are not kept where it says so', async () => {
    const gateway = await start();
    const post = (header: string) => gateway.post('chat/completions', body).set('traceparent', header).set('tracestate', 'vendor=1');
    expect((await post(traceparent.replace(/01$/, '00'))).status).toBe(200);
    expect((await post(traceparent)).status).toBe(200);
    const { root, attempts } = await sent(gateway);
    expect(root).toMatchObject({ traceId, parentSpanId: clientSpan, traceState: 'vendor=1' });
    expect(attempts.map((span) => span.traceId)).toEqual([traceId, traceId]);
    for (const { headers } of [...flaky.requests, ...steady.requests]) expect(headers['traceparent']).toBeUndefined();
  });

  it('show a stream, its first piece and how it failed', async () => {
    const gateway = await start();
    flaky.replies({ ...sse(event({ role: 'assistant', content: 'One' }) + event({ content: ' two' })), ending: 'reset' });
    const stream = await gateway.stream('chat/completions', body);
    await stream.text();
    const { root, attempts } = await sent(gateway);
    expect(root.failed).toBe(true);
    expect(root.attributes).toMatchObject({
      'error.type': 'upstream_error',
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'switchyard.outcome': 'provider_failed',
    });
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({ failed: true, attributes: { 'gen_ai.response.time_to_first_chunk': expect.any(Number) } });
  });

  it('show what was refused, but not to strangers', async () => {
    const gateway = await start();
    await request(gateway.url).post('/v1/chat/completions').send(body);
    await gateway.get('models');
    expect((await gateway.post('completions', { model: 'nothing', prompt: question })).status).toBe(404);
    const { root, attempts } = await sent(gateway);
    expect(root).toMatchObject({ name: 'text_completion nothing', failed: false });
    expect(root.attributes).toMatchObject({ 'error.type': 'model_not_found', 'http.response.status_code': 404 });
    expect(attempts).toEqual([]);
  });

  it('are passed on to providers where the operator wants it: each call under its own attempt', async () => {
    const gateway = await start({ otlp_endpoint: endpoint, propagate_traces: true });
    expect((await gateway.post('chat/completions', body)).status).toBe(200);
    const { root, attempts } = await sent(gateway);
    const told = [flaky.requests[0], steady.requests[0]].map((one) => one?.headers['traceparent']);
    expect(told).toEqual(attempts.map(({ spanId }) => `00-${root.traceId}-${spanId}-01`));
  });

  it('are passed on as they came where nothing is exported here', async () => {
    const gateway = await start({ propagate_traces: true });
    await gateway.post('chat/completions', body).set('traceparent', traceparent).set('tracestate', 'vendor=1');
    expect(steady.requests[0]?.headers).toMatchObject({ traceparent, tracestate: 'vendor=1' });
    await gateway.post('chat/completions', body).set('traceparent', 'nonsense');
    expect(steady.requests[1]?.headers['traceparent']).toBeUndefined();
    expect(collector.spans).toEqual([]);
  });

  it('are a share of the requests where the operator says so', async () => {
    const gateway = await start({ otlp_endpoint: endpoint, trace_ratio: 0 });
    await gateway.post('chat/completions', body);
    await gateway.post('chat/completions', body).set('traceparent', traceparent);
    expect((await sent(gateway)).root.traceId).toBe(traceId);
  });

  it('do not disturb where nobody takes them', async () => {
    const gateway = await start({ otlp_endpoint: 'http://127.0.0.1:9/nobody' });
    for (let round = 0; round < 3; round++) expect((await gateway.post('chat/completions', body)).status).toBe(200);
  });

  it('load nothing where they are off [program]', async () => {
    const program = await buildProgram();
    try {
      const hook = join(program, 'loaded.mjs');
      writeFileSync(
        hook,
        `import { registerHooks } from 'node:module';
        registerHooks({ load: (url, context, next) => (console.error('loads', url), next(url, context)) });`,
      );
      const loads = async (env: Record<string, string>) => {
        const cwd = mkdtempSync(join(program, 'start-'));
        const gateway = new GatewayProcess([process.execPath, '--import', hook, join(program, 'dist/main.js')], { cwd, env });
        try {
          await gateway.listening();
          expect(gateway.stderr).toMatch(/^loads .*observability\/traces\.js/m);
          return /^loads .*trace-exporter/m.test(gateway.stderr);
        } finally {
          await gateway.stop();
        }
      };
      expect(await loads({})).toBe(false);
      expect(await loads({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toBe(true);
    } finally {
      rmSync(program, { recursive: true, force: true });
    }
  });

  it('are sent while the gateway runs', async () => {
    const gateway = await start();
    await gateway.post('chat/completions', body);
    await until(() => collector.spans.length === 3, 'the spans');
  });
});
