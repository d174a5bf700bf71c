import { createMistral } from '@ai-sdk/mistral';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import type { SuiteEntry } from '../testing/provider-suite.js';
import { allRecordings, describeRecorded, recordedBody } from '../testing/recordings.js';
import { suiteEntry } from '../testing/suite-entry.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { AiSdkProvider } from './ai-sdk.provider.js';

const recordings = allRecordings().filter(({ file, wire }) => file.startsWith('mistral/') && wire === 'openai-chat');

describeRecorded(recordings, 'recorded exchanges of Mistral, through its AI SDK package', () => {
  let upstream: LoopbackUpstream;
  let entry: SuiteEntry;
  let provider: AiSdkProvider;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    entry = suiteEntry(`${upstream.origin}/v1`, { options: { package: '@ai-sdk/mistral' } });
    const loaded = { create: createMistral, version: 'v4' } as const;
    provider = new AiSdkProvider('recorded', entry.config, loaded, entry.services.transport as HttpTransport);
  });
  afterAll(async () => {
    await entry.close();
    await upstream.stop();
  });

  it.each(recordings.map((recording) => [recording.id, recording] as const))('%s', async (_, recording) => {
    const { ask, expect: expected, mode, status, headers } = recording;
    const stream = mode === 'stream';
    const body = recordedBody(recording);
    upstream.replies({ status, headers: { 'content-type': stream ? 'text/event-stream' : 'application/json', ...headers }, body });
    const request = { model: 'm', n: 1, ...ask, operation: 'chat', stream } as ChatGenerationRequest;
    const asked = readAll(provider.generate(request, testCall()));
    if (expected.error) {
      await expect(asked).rejects.toMatchObject({ name: 'ProviderError', status: expected.error.upstream_status });
      return;
    }
    const { choices, usage } = collect(await asked);
    const [wanted] = expected.choices ?? [];
    expect(choices).toHaveLength(1);
    expect(choices[0]?.text ?? '').toBe(wanted?.text ?? '');
    expect(choices[0]?.reasoning ?? null).toBe(wanted?.reasoning ?? null);
    const calls = choices[0]?.toolCalls.map(({ arguments: text, ...call }) => ({ ...call, arguments: JSON.parse(text) as unknown }));
    expect(calls).toEqual(wanted?.tool_calls ?? []);
    if (wanted?.finish) expect(wanted.finish).toContain(choices[0]?.finishReason);
    expect(usage?.prompt_tokens).toBe(expected.usage?.prompt_tokens);
    expect(usage?.completion_tokens).toBe(expected.usage?.completion_tokens);
  });
});
