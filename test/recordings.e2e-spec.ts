import fc from 'fast-check';
import { type CollectedAnswer, collect } from '../src/providers/testing/collect.js';
import {
  describeRecorded,
  expectedUsage,
  recordedBody,
  type Recording,
  recordingsOf,
  saysNothing,
} from '../src/providers/testing/recordings.js';
import type { ErrorBody } from '../src/wire/error.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import type { Usage } from '../src/wire/usage.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { useGateway, useUpstream } from './support/started.js';

/**
 * Type of provider, path below its address, operation and options, by the manifest's wires, and by clouds that use one.
 */
const wires: Readonly<Record<string, readonly [type: string, path: string, operation: string, options?: object]>> = {
  'openai-chat': ['openai-compatible', '/v1', 'chat/completions'],
  'openai-completions': ['openai-compatible', '/v1', 'completions'],
  anthropic: ['anthropic', '', 'chat/completions'],
  gemini: ['gemini', '/v1beta', 'chat/completions'],
  'bedrock-converse': ['bedrock', '', 'chat/completions', { region: 'us-east-1' }],
  'cohere-v2': ['cohere', '', 'chat/completions'],
  ollama: ['ollama', '', 'chat/completions'],
  'vertex-anthropic': ['vertex', '', 'chat/completions', { project: 'harbour-1', location: 'global' }],
  'vertex-gemini': ['vertex', '', 'chat/completions', { project: 'harbour-1', location: 'global' }],
};

/** Vertex AI serves both vendors' models, and knows Anthropic's by their names. */
const onVertex: Readonly<Record<string, string>> = { anthropic: 'claude-vertex-', gemini: 'vertex-' };
const recordings = recordingsOf(wires).flatMap((one) => {
  const prefix = onVertex[one.wire];
  return prefix ? [one, { ...one, wire: `vertex-${one.wire}`, id: prefix + one.id }] : [one];
});

describeRecorded(recordings, 'recorded exchanges through the gateway', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const capabilities = { chat: true, completion: true, function_calling: true, vision: true, json_mode: true };
    const model = { capabilities, context_length: 1_000_000, max_tokens: 100_000 };
    // A model for each, so that the failures of one pause no other.
    const entries = Object.entries(wires).map(([wire, [type, path, , options = {}]]) => {
      const models = Object.fromEntries(recordings.filter((one) => one.wire === wire).map(({ id }) => [id, model]));
      return [wire, { type, base_url: `${upstream.origin}${path}`, api_key: 'sk-recorded', free: true, models, options }];
    });
    return Gateway.start({ providers: Object.fromEntries(entries) as object, routing: { retries: 0 } });
  });

  const ask = async ({ id, wire, ask: asked, expect: expected }: Recording, stream: boolean) => {
    const n = Math.max(expected.choices?.length ?? 1, 1);
    // The gateway asks for one prompt at a time: several of one exchange are as many choices of the first.
    const prompt = asked.prompt && [asked.prompt].flat()[0];
    const body = { ...asked, prompt, model: id, ...(n > 1 && { n }), ...(stream && { stream, stream_options: { include_usage: true } }) };
    return gateway
      .post(wires[wire]![2], body)
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks).toString()));
      });
  };

  it.each(
    recordings.flatMap((recording) => [false, true].map((stream) => [recording.id, stream ? 'streamed' : 'whole', recording] as const)),
  )('%s, %s', async (_id, mode, recording) => {
    const stream = mode === 'streamed';
    const { expect: expected } = recording;
    const body = recordedBody(recording);
    const [cuts = []] = fc.sample(fc.uniqueArray(fc.nat({ max: body.length }), { maxLength: 40 }), { numRuns: 1, seed: body.length });
    const type = recording.mode === 'stream' ? 'text/event-stream' : 'application/json';
    upstream.replies({
      status: recording.status,
      headers: { 'content-type': type, ...recording.headers },
      body,
      cuts: cuts.sort((a, b) => a - b),
    });
    const response = await ask(recording, stream);
    const text = response.body as string;
    if (expected.error || saysNothing(recording)) {
      const { error } = errorOf(text);
      expect(Object.keys(error).sort()).toEqual(['code', 'message', 'type']);
      expect(Object.values(error).every((value) => typeof value === 'string' && value !== '')).toBe(true);
      expect(response.status).toBeGreaterThanOrEqual(400);
      return;
    }
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    const answer = stream ? streamedAnswer(text) : wholeAnswer(text);
    expect(answer.choices).toHaveLength(expected.choices!.length);
    for (const { index, text: said, reasoning = null, refusal = null, tool_calls = [], finish } of expected.choices!) {
      const choice = answer.choices[index]!;
      const calls = choice.toolCalls.map(({ arguments: json, ...call }) => ({ ...call, arguments: JSON.parse(json) as unknown }));
      expect([said || null, ...(expected.text_also ?? [])]).toContain(choice.text || null);
      expect({ reasoning: choice.reasoning, refusal: choice.refusal, calls }).toEqual({
        reasoning,
        refusal,
        calls: tool_calls.map((call) => ({ ...call, id: call.id ?? (expect.any(String) as unknown) })),
      });
      if (finish) expect(finish).toContain(choice.finishReason);
    }
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 } = answer.usage ?? {};
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    const usage = expectedUsage(recording, prompt_tokens);
    if (usage) {
      expect(prompt_tokens).toBe(usage.prompt_tokens);
      expect(total_tokens).toBe(Math.max(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens));
    } else expect(completion_tokens).toBeGreaterThan(0);
  });
});

function errorOf(text: string): ErrorBody {
  return JSON.parse(text) as ErrorBody;
}

function streamedAnswer(text: string): CollectedAnswer {
  const events = eventsOf<GenerationChunk & { usage: Usage | null }>(text);
  return collect(events.map(({ choices, usage }) => ({ choices, usage: usage ?? undefined })));
}

function wholeAnswer(text: string): CollectedAnswer {
  interface Choice {
    message?: { role: 'assistant'; content: string | null; tool_calls?: object[] };
    finish_reason: string;
  }
  const { choices, usage } = JSON.parse(text) as { choices: Choice[]; usage: Usage };
  const asChunk = choices.map(({ message, ...choice }) => ({
    ...choice,
    ...(message && { delta: { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })) } }),
  }));
  return collect([{ choices: asChunk, usage } as unknown as GenerationChunk]);
}
