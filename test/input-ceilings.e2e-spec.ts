import { anything } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const image = 'https://example.com/a.png';
const parts: Readonly<Record<string, object>> = {
  image: { type: 'image_url', image_url: { url: image } },
  audio: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  video: { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
  file: { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
};
const modalities = Object.keys(parts);

describe('Parts whose tokens do not follow from their bytes', () => {
  const upstream = useUpstream(anything);
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    const model = { max_tokens: 10, context_length: 1_000_000, capabilities: { vision: true } };
    // A credit for a thousand tokens of prompt, and nothing for output.
    const paid = { ...model, pricing: { prompt: 1, completion: 0 } };
    const input_ceilings = { image: 2_000, audio: 4_000, video: 8_000, file: 16_000 };
    return Gateway.start({
      providers: {
        unbounded: { base_url, models: { unbounded: paid, 'bounded-model': { ...paid, input_ceilings } } },
        bounded: { base_url, models: { bounded: paid, own: { ...paid, input_ceilings: { image: 500 } } }, input_ceilings },
        free: { base_url, free: true, models: { free: model } },
        together: { type: 'together', base_url, models: { preset: paid } },
      },
      models: { overridden: { input_ceilings, offers: [{ provider: 'unbounded', model: 'unbounded' }] } },
    });
  });

  beforeEach(() => answered(1_500));

  const answered = (prompt_tokens: number) =>
    upstream.replies(chatReply('Čau', { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens }));
  const ask = (model: string, content: unknown, key?: string) =>
    gateway.post('chat/completions', { model, messages: [{ role: 'user', content }] }, key);

  it.each(modalities)('%s: refused where nobody has said what it costs, naming the setting', async (modality) => {
    const response = await ask('unbounded', [parts[modality]]);
    expectError(response, 400, 'unsupported_parameter');
    expect(JSON.stringify(response.body)).toContain(`providers.unbounded.input_ceilings.${modality}`);
    expect(upstream.requests).toHaveLength(0);
  });

  it.each(modalities)('%s: taken where an entry, a model or an override says it', async (modality) => {
    for (const model of ['bounded', 'bounded-model', 'overridden']) expect((await ask(model, [parts[modality]])).status).toBe(200);
  });

  it.each(modalities)('%s: taken where nothing costs anything, and with test keys', async (modality) => {
    expect((await ask('free', [parts[modality]])).status).toBe(200);
    expect([200, 400]).toContain((await ask('unbounded', [parts[modality]], gateway.customer.testKey)).status);
    expect(JSON.stringify((await ask('unbounded', [parts[modality]], gateway.customer.testKey)).body)).not.toContain('input_ceilings');
  });

  it.each([
    ['image', 2],
    ['audio', 4],
    ['video', 8],
    ['file', 16],
  ] as const)('%s: held at its ceiling', async (modality, credits) => {
    answered(credits * 1_000);
    const poor = await gateway.newCustomer(`${credits - 0.1}`);
    expectError(await ask('bounded', [parts[modality]], poor.liveKey), 402, 'insufficient_credits');
    expect(upstream.requests).toHaveLength(0);
    const rich = await gateway.newCustomer(`${credits + 0.5}`);
    expect((await ask('bounded', [parts[modality]], rich.liveKey)).status).toBe(200);
    expect(await gateway.balance(rich)).toBe(500_000_000n);
  });

  it('a model’s own ceiling counts before that of its entry', async () => {
    answered(500);
    const customer = await gateway.newCustomer('0.9');
    expect((await ask('own', [parts['image']], customer.liveKey)).status).toBe(200);
    expectError(await ask('bounded', [parts['image']], customer.liveKey), 402, 'insufficient_credits');
  });

  it('each of several parts counts', async () => {
    const customer = await gateway.newCustomer('3.9');
    expectError(await ask('bounded', [parts['image'], parts['image']], customer.liveKey), 402, 'insufficient_credits');
    expectError(
      await ask('bounded', [{ type: 'image_url', image_url: { url: 'data:video/mp4;base64,AA' } }], customer.liveKey),
      402,
      'insufficient_credits',
    );
  });

  it('what is no text and in no known part is refused, unless nothing costs anything', async () => {
    const strange = [{ type: 'hologram', hologram: { id: 1 } }];
    const response = await ask('bounded', strange);
    expectError(response, 400, 'unsupported_parameter');
    expect(JSON.stringify(response.body)).toContain('hologram');
    expect((await ask('free', strange)).status).toBe(200);
  });

  it('a vendor’s preset knows what an image costs', async () => {
    expect((await ask('preset', [parts['image']])).body).toMatchObject({ choices: [{}] });
  });
});
