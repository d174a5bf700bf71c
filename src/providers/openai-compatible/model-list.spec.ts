import { type ProviderConfig, providerSchema } from '../../config/config.schema.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { LoopbackUpstream, type Reply } from '../testing/loopback-upstream.js';
import { HttpTransport } from '../transport/http-transport.js';
import { OpenAICompatibleProvider } from './openai-compatible.provider.js';

const json = (value: unknown): Reply => ({ body: JSON.stringify(value) });

describe('models of an OpenAI-compatible address', () => {
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  const models = (more: object = {}, signal = new AbortController().signal) => {
    const config: ProviderConfig = providerSchema.parse({ base_url: `${upstream.origin}/v1/`, api_key: 'sk-list', ...more });
    return new OpenAICompatibleProvider('p', config, new ChatCompletionsProtocol(transport), transport).models(signal);
  };

  it('are asked with the key, the headers and for all details', async () => {
    upstream.replies(json({ data: [{ id: 'a' }] }));
    expect((await models({ headers: { 'X-Org': 'o' } })).map(({ id }) => id)).toEqual(['a']);
    expect(upstream.requests[0]).toMatchObject({
      method: 'GET',
      path: '/v1/models?include_capabilities=true&active_only=false',
      headers: { authorization: 'Bearer sk-list', 'x-org': 'o' },
    });
  });

  it('may be a bare array, and a query of the address stays', async () => {
    upstream.replies(json([{ id: 'a' }, { id: 7 }, null]));
    expect((await models({ base_url: `${upstream.origin}/v1?api-version=1` })).map(({ id }) => id)).toEqual(['a']);
    expect(upstream.requests[0]?.path).toBe('/v1/models?api-version=1&include_capabilities=true&active_only=false');
  });

  it('are not asked for where the configuration says everything', async () => {
    upstream.replies(json({ data: [] }));
    expect(await models({ models: { a: { context_length: 10, max_tokens: 5 } } })).toMatchObject([{ id: 'a', contextLength: 10 }]);
    expect(upstream.requests).toHaveLength(0);
  });

  it('come from the configuration alone where the list cannot be had', async () => {
    upstream.replies({ status: 500 });
    expect(await models({ models: { a: {} } })).toMatchObject([{ id: 'a', contextLength: 32_768 }]);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([
    ['refuses', { status: 401, body: '{"error":{"message":"bad key sk-list"}}' }, 'authentication'],
    ['answers something else', { body: '<html></html>' }, 'bad_response'],
    ['breaks off', { body: '{"data":[', after: 5, ending: 'reset' as const }, 'bad_response'],
  ])('fail where the address %s', async (_name, reply, kind) => {
    upstream.replies(reply);
    const failure = await models().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ProviderError', kind });
    expect(String(failure)).not.toContain('sk-list');
  });

  it('stop with their signal', async () => {
    upstream.replies({ ending: 'silent' });
    const abort = new AbortController();
    const asked = upstream.nextRequest();
    const listing = models({}, abort.signal).catch((error: unknown) => error);
    await asked;
    abort.abort();
    expect(await listing).toMatchObject({ name: 'ProviderError' });
    await upstream.requests[0]?.closed;
  });
});
