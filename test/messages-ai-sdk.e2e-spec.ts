import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, type ModelMessage } from 'ai';
import { expectToolLoop } from './clients/ai-sdk-weather.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway } from './support/started.js';

useLoopbackOnly();

// Its warnings concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

describe('the AI SDK with anthropic()', () => {
  const gateway = useGateway(() => Gateway.start());

  const model = (name: string) => createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey })(name);

  it('runs a tool loop, whole and streamed', () => expectToolLoop(model('sandbox-chat')));

  it('gets thoughts and goes on with them', async () => {
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } };
    const asked = { model: model('sandbox-reasoning'), maxOutputTokens: 200, providerOptions };
    const first = await generateText({ ...asked, prompt: 'Hello' });
    expect(first.reasoningText).toMatch(/\S/);
    const messages: ModelMessage[] = [said.user('Hello'), ...first.response.messages, said.user('And now?')];
    expect((await generateText({ ...asked, messages })).text).toMatch(/\S/);
  });
});
