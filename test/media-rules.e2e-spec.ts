import { said } from '../src/wire/testing/said.js';
import { anything } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const user = (...content: object[]) => ({ messages: [said.user(content)] });
const image = (url: string) => user({ type: 'image_url', image_url: { url } });

/** Requests with an id of the operator's account. */
const ids: readonly (readonly [string, object])[] = [
  ['a file', user({ type: 'file', file: { file_id: 'file-1' } })],
  ['an input file', user({ type: 'input_file', file_id: 'file-1' })],
  ['an image', user({ type: 'image_url', image_url: { file_id: 'file-1', url: 'https://example.com/a.png' } })],
  ['an image of another shape', user({ type: 'input_image', file_id: 'file-1' })],
  ['a file behind an address', user({ type: 'file', file: { fileUri: 'https://example.com/files/1' } })],
  ['something nested', user({ type: 'document', document: { source: { type: 'file', file_id: 'file-1' } } })],
  [
    'an answer’s sound',
    {
      messages: [{ role: 'assistant', content: 'Hm', audio: { id: 'audio-1' } }, said.user('Ahoj')],
    },
  ],
  ...['container', 'previous_response_id', 'conversation', 'vector_store_ids', 'cached_content', 'cachedContent', 'file_ids'].map(
    (name) => [name, { messages: [said.user('Ahoj')], [name]: 'of-somebody' }] as const,
  ),
];

/** Addresses that only the provider's machine or network can resolve. */
const inside = [
  'file:///etc/passwd',
  '/etc/passwd',
  'gs://bucket/a.png',
  'http://169.254.169.254/latest/meta-data',
  'http://127.0.0.1:11434/api/tags',
  'http://[::ffff:10.0.0.1]/',
  'http://localhost/a.png',
  `http://127.0.0.1/${'x'.repeat(20_000)}`,
].map((url) => [url.slice(0, 60), url] as const);

/** Places of an address in a message. */
const places: readonly (readonly [string, (url: string) => object])[] = [
  ['image_url.url', image],
  ['image_url', (url) => user({ type: 'image_url', image_url: { url: 'https://example.com/a.png' }, image: url })],
  ['video_url.url', (url) => user({ type: 'video_url', video_url: { url } })],
  ['audio_url.url', (url) => user({ type: 'audio_url', audio_url: { url } })],
  ['document_url', (url) => user({ type: 'document_url', document_url: url })],
  ['images of a message', (url) => ({ messages: [{ role: 'user', content: 'Ahoj', images: [{ url }] }] })],
];

describe('Media that a provider would find with the rights of the operator', () => {
  const upstream = useUpstream(anything);
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    const input_ceilings = { image: 10, audio: 10, video: 10, file: 10 };
    const model = { max_tokens: 10, context_length: 100_000, capabilities: { vision: true }, pricing: { prompt: 0.001, completion: 0 } };
    return Gateway.start({
      providers: {
        safe: { base_url, models: { safe: model }, input_ceilings, extra_parameters: ['*', 'container'] },
        free: { base_url, free: true, models: { free: { ...model, pricing: undefined } } },
        trusting: { base_url, models: { trusting: model }, input_ceilings, allow_account_ids: true, allow_internal_media: true },
      },
    });
  });

  beforeEach(() => upstream.replies(chatReply('Čau')));

  const ask = (model: string, body: object) => gateway.post('chat/completions', { model, ...body });

  it.each(ids)('an id of the operator’s account is refused unless it is allowed: %s', async (_name, body) => {
    for (const model of ['safe', 'free']) expectError(await ask(model, body), 400, 'unsupported_parameter');
    expect(upstream.requests).toHaveLength(0);
    expect((await ask('trusting', body)).status).toBe(200);
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject(body);
  });

  it('a file at the provider’s own address is refused unless ids of the account are allowed', async () => {
    const body = image(`${upstream.origin}/v1/files/abc`);
    for (const model of ['safe', 'free']) expectError(await ask(model, body), 400, 'unsupported_parameter');
    expect(upstream.requests).toHaveLength(0);
    expect((await ask('trusting', body)).status).toBe(200);
  });

  describe.each(places)('in %s', (_place, body) => {
    it.each(inside)('%s is refused unless it is allowed', async (_start, url) => {
      for (const model of ['safe', 'free']) expectError(await ask(model, body(url)), 400, 'invalid_request');
      expect(upstream.requests).toHaveLength(0);
      expect((await ask('trusting', body(url))).status).toBe(200);
      expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject(body(url));
    });

    it.each(
      ['https://example.com/a.png', 'data:image/png;base64,AAAA', `data:image/png;base64,${'A'.repeat(40_000)}`].map((url) => [
        url.slice(0, 30),
        url,
      ]),
    )('%s goes on', async (_start, url) => {
      for (const model of ['safe', 'free']) expect((await ask(model, body(url))).status).toBe(200);
    });
  });
});
