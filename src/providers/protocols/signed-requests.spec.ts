import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { countTurns } from '../../common/testing/count-turns.js';
import { readAll, type TestCall, testCall } from '../testing/testing-kit.js';
import { ManualFlow } from '../testing/call.js';
import { LoopbackUpstream, type RecordedRequest } from '../testing/loopback-upstream.js';
import { HttpTransport } from '../transport/http-transport.js';
import { LARGE_BODY, LargeBody } from '../transport/large-body.js';
import type { SignableRequest } from '../transport/upstream-request.js';
import { timeouts } from '../transport/testing/request-to.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { AnthropicMessagesProtocol } from './anthropic-messages/anthropic-messages.protocol.js';
import type { ModelTraits as MessagesTraits } from './anthropic-messages/model-traits.js';
import { ChatCompletionsProtocol } from './chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from './gemini-generate-content/gemini-generate-content.protocol.js';
import type { ModelTraits as GeminiTraits } from './gemini-generate-content/model-traits.js';
import { type Endpoint, endpointOf, requestTo } from './endpoint.js';
import { fetchList, probeList } from './fetch-list.js';
import { upstreamError } from './upstream-error.js';

const KEY = 'signing-key';

/** A signature over all that the provider receives. */
function signatureOf({ method, path }: { method: string; path: string }, body: readonly Uint8Array[]): string {
  const hmac = createHmac('sha256', KEY).update(`${method} ${path}\n`);
  for (const part of body) hmac.update(part);
  return hmac.digest('hex');
}

const claude: MessagesTraits = {
  maxTokens: 100,
  thinking: 'none',
  thinkingOff: 'absent',
  efforts: [],
  forcedTools: true,
  structuredOutputs: true,
  systemTurns: false,
};
const gemini: GeminiTraits = { thinking: undefined, signedCalls: false };

const question: ChatGenerationRequest = {
  operation: 'chat',
  model: 'm',
  stream: true,
  n: 1,
  max_tokens: 5,
  messages: [{ role: 'user', content: 'Ahoj, Žofia' }],
};

describe('A signing endpoint', () => {
  let endpoint: Endpoint;
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());
  const list = { operation: 'models', query: 'limit=1', signal: new AbortController().signal, failed: upstreamError };
  const sign = async (request: SignableRequest) => {
    await wait(1);
    return { ...request.headers, 'x-signature': signatureOf(request, request.body) };
  };
  const isSigned = ({ headers, body, ...request }: RecordedRequest) =>
    expect(headers['x-signature']).toBe(signatureOf(request, [Buffer.from(body)]));

  beforeAll(() => {
    endpoint = { ...endpointOf({ baseUrl: `${upstream.origin}/v1?tenant=1`, timeouts, headers: { 'x-own': 'yes' } }), sign };
  });
  beforeEach(() => upstream.replies({ status: 503 }));

  const wires: [string, (request: ChatGenerationRequest, call: TestCall) => AsyncIterable<unknown>][] = [
    ['chat-completions', (request, call) => new ChatCompletionsProtocol(transport).generate(request, call, endpoint)],
    ['anthropic-messages', (request, call) => new AnthropicMessagesProtocol(transport).generate(request, call, endpoint, claude)],
    ['generate-content', (request, call) => new GeminiGenerateContentProtocol(transport).generate(request, call, endpoint, gemini)],
  ];

  it.each(wires)('signs what asks for an answer in %s', async (_wire, generate) => {
    await expect(readAll(generate(question, testCall()) as ReturnType<ChatCompletionsProtocol['generate']>)).rejects.toMatchObject({
      kind: 'overloaded',
    });
    expect(upstream.requests[0]?.headers['x-own']).toBe('yes');
    isSigned(upstream.requests[0]!);
  });

  it('signs a body of many pieces', async () => {
    const content = 'Žofia'.repeat(LARGE_BODY);
    const call = testCall();
    const large = { ...question, messages: [{ role: 'user' as const, content }] };
    await expect(readAll(new ChatCompletionsProtocol(transport).generate(large, call, endpoint))).rejects.toMatchObject({
      kind: 'overloaded',
    });
    isSigned(upstream.requests[0]!);
  });

  it('may read a body of many pieces with other turns of the event loop in between', async () => {
    const parts = Array.from({ length: 40 }, (_, index) => `${index} Žofia `.repeat(10_000));
    let turns = 0;
    const inPieces = async ({ headers, ...request }: SignableRequest) => {
      const counted = countTurns();
      const hmac = createHmac('sha256', KEY).update(`${request.method} ${request.path}\n`);
      for await (const piece of request.pieces()) hmac.update(piece);
      turns = counted();
      return { ...headers, 'x-signature': hmac.digest('hex') };
    };
    await transport.send(requestTo({ ...endpoint, sign: inPieces }, { operation: 'say', body: new LargeBody(parts), headers: {} }));
    isSigned(upstream.requests[0]!);
    expect(turns).toBeGreaterThan(3);
  });

  it('signs the list of models, the probe, and a request of a module’s own', async () => {
    await expect(fetchList(transport, endpoint, list)).rejects.toMatchObject({ kind: 'overloaded' });
    await expect(probeList(transport, endpoint, list)).rejects.toMatchObject({ kind: 'overloaded' });
    const response = await transport.send(requestTo(endpoint, { operation: 'say', body: '{}', headers: { 'x-more': '1' } }));
    expect(response.status).toBe(503);
    expect(upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/models?tenant=1&limit=1',
      'GET /v1/models?tenant=1&limit=1',
      'POST /v1/say?tenant=1',
    ]);
    upstream.requests.forEach(isSigned);
  });

  it('asks nothing where it cannot sign, and says why', async () => {
    const cause = new Error('no credentials');
    const broken = { ...endpoint, sign: () => Promise.reject(cause) };
    await expect(probeList(transport, broken, list)).rejects.toMatchObject({ kind: 'authentication', cause });
    expect(upstream.requests).toHaveLength(0);
  });

  it('asks nothing where nobody waits any more, or signing takes longer than connecting may', async () => {
    const { promise, resolve } = Promise.withResolvers<Record<string, string>>();
    const slow = { ...endpoint, sign: () => promise, timeouts: { ...timeouts, connect: 50 } };
    const abort = new AbortController();
    const left = probeList(transport, slow, { ...list, signal: abort.signal });
    abort.abort();
    await expect(left).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(probeList(transport, slow, list)).rejects.toMatchObject({ kind: 'timeout' });
    resolve({});
    await wait(10);
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('A response', () => {
  it('gives its headers and its bytes, and pauses with the client', async () => {
    const upstream = await LoopbackUpstream.start();
    const transport = new HttpTransport();
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256));
    upstream.replies({ headers: { 'content-type': 'application/vnd.amazon.eventstream', 'x-id': '7' }, body: bytes, cuts: [1, 500] });
    const endpoint = endpointOf({ baseUrl: upstream.origin, timeouts });
    const flow = new ManualFlow();
    flow.set(true);
    const response = await transport.send(requestTo(endpoint, { operation: 'x' }));
    expect([response.status, response.contentType, response.headers['x-id']]).toEqual([200, 'application/vnd.amazon.eventstream', '7']);
    flow.set(false);
    const read: Buffer[] = [];
    for await (const some of response.bytes(flow)) read.push(some);
    expect(Buffer.concat(read)).toEqual(bytes);
    expect(flow.listeners).toBe(0);

    upstream.replies({ status: 429, headers: { 'retry-after': '2' }, body: '{"error":"slow down"}' });
    const refused = await transport.send(requestTo(endpoint, { operation: 'x' }));
    expect(upstreamError(await refused.refusal(['k']))).toMatchObject({ kind: 'rate_limited', retryAfterMs: 2_000, message: 'slow down' });
    await transport.onApplicationShutdown();
    await upstream.stop();
  });
});
