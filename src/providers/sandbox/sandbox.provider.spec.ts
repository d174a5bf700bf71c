import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';
import type { ChatLogprobs, TokenLogprob } from '../../wire/chat-completion.js';
import type { CompletionLogprobs } from '../../wire/completion.js';
import type {
  ChatGenerationRequest,
  CompletionGenerationRequest,
  GenerationChoice,
  GenerationChunk,
  GenerationRequest,
} from '../../wire/generation.js';
import { providerErrorKinds } from '../contract/provider-error.js';
import { type TestCall, testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { END } from './language/vocabulary.js';
import { sandboxModels } from './sandbox.models.js';
import { SandboxProvider } from './sandbox.provider.js';

const provider = new SandboxProvider();
afterAll(() => provider.onApplicationShutdown());

function chat(content: string, more: Partial<ChatGenerationRequest> = {}): ChatGenerationRequest {
  return { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content }], ...more };
}

function completion(prompt: string, more: Partial<CompletionGenerationRequest> = {}): CompletionGenerationRequest {
  return { operation: 'completion', model: 'm', stream: false, n: 1, prompt, ...more };
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

const ask = (request: GenerationRequest, upstreamModel = 'sandbox-omni', call: TestCall = testCall({ upstreamModel })) =>
  readAll(provider.generate(freeze(request), call));

async function answer(request: GenerationRequest): Promise<GenerationChoice> {
  const [chunk] = await ask(request);
  return chunk!.choices[0]!;
}

const textOf = (choice: GenerationChoice) => choice.text ?? choice.delta?.content ?? '';
const legacy = (choice: GenerationChoice) => choice.logprobs as CompletionLogprobs;
const content = (choice: GenerationChoice): TokenLogprob[] => (choice.logprobs as ChatLogprobs).content!;

const questions = fc.constantFrom(
  'Why does it rain?',
  'Hello',
  'How do I bake bread?',
  'Wie geht es dir? 😀',
  '',
  'Tell me a story about a cat',
);
const samplings = fc.record({
  seed: fc.integer(),
  temperature: fc.constantFrom(0, 0.5, 1, 2),
  n: fc.integer({ min: 1, max: 3 }),
  max_tokens: fc.integer({ min: 1, max: 40 }),
  top_p: fc.constantFrom(1, 0.8, 0),
  presence_penalty: fc.constantFrom(0, 1.5, -2),
  frequency_penalty: fc.constantFrom(0, 0.5),
  stop: fc.constantFrom([], ['.'], [' the', 'e'], [', ', 'nothing of the kind']),
});
const requests = fc.oneof(
  fc
    .tuple(questions, samplings, fc.constantFrom(undefined, 0, 3))
    .map(([question, sampling, ranks]) =>
      chat(question, { ...sampling, ...(ranks === undefined ? {} : { logprobs: true, top_logprobs: ranks }) }),
    ),
  fc
    .tuple(questions, samplings, fc.constantFrom(undefined, 0, 3), fc.boolean(), fc.constantFrom(undefined, ' the rain.', 'é'))
    .map(([prompt, sampling, logprobs, echo, suffix]) => completion(prompt, { ...sampling, logprobs, echo, suffix })),
);

/** Everything of a response but the ids of tool calls, which are unique on purpose. */
function comparable(chunks: readonly GenerationChunk[]) {
  const { choices, usage } = collect(chunks);
  return {
    usage,
    choices: choices.map((choice) => ({ ...choice, toolCalls: choice.toolCalls.map(({ id: _id, ...call }) => call) })),
  };
}

describe('any answer', () => {
  it('is the same streamed and unstreamed, and repeats under its seed', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const whole = await ask(request);
        const streamed = await ask({ ...request, stream: true });
        expect(whole).toHaveLength(1);
        expect(comparable(streamed)).toEqual(comparable(whole));
        expect(await ask(request)).toEqual(whole);
      }),
      { numRuns: samples(60) },
    );
  });

  it('tells its tokens in each chunk and their sum in the last one', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const chunks = await ask({ ...request, stream: true });
        const { usage } = chunks.at(-1)!;
        expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
        expect(usage!.completion_tokens).toBe(chunks.reduce((sum, chunk) => sum + chunk.tokens!, 0));
        expect(usage!.prompt_tokens).toBe(chunks[0]!.promptTokens);
        expect(usage!.completion_tokens).toBeLessThanOrEqual(request.n * request.max_tokens!);
      }),
      { numRuns: samples(50) },
    );
  });

  it('never shows a stop sequence, nor half of one', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const free = await ask({ ...request, stop: [], max_tokens: 60 });
        const stopped = await ask({ ...request, max_tokens: 60 });
        for (const [index, choice] of stopped[0]!.choices.entries()) {
          const generated = (one: GenerationChoice) => textOf(one).slice('echo' in request && request.echo ? request.prompt.length : 0);
          const ends = request.stop!.map((stop) => [generated(free[0]!.choices[index]!).indexOf(stop), stop.length] as const);
          const [first] = ends.filter(([at]) => at >= 0).sort((a, b) => a[0] + a[1] - (b[0] + b[1]) || a[0] - b[0]);
          if (!first) expect(textOf(choice)).toBe(textOf(free[0]!.choices[index]!));
          else {
            expect(generated(choice)).toBe(generated(free[0]!.choices[index]!).slice(0, first[0]));
            expect(choice.finish_reason).toBe('stop');
          }
        }
      }),
      { numRuns: samples(40) },
    );
  });

  it('streams whole characters only', async () => {
    const bytes = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [0x80 + i, 20]));
    for (let seed = 0; seed < 10; seed++) {
      const request = completion('Hello', { seed, max_tokens: 40, logit_bias: { ...bytes, 0xe2: 20, 0xc3: 20, 0xf0: 20 } });
      const streamed = await ask({ ...request, stream: true });
      const texts = streamed.flatMap((chunk) => chunk.choices.map(textOf));
      expect(texts.every((text) => text.isWellFormed())).toBe(true);
      expect(texts.join('')).toBe(textOf(await answer(request)));
      expect(texts.join('')).toMatch(/[\u0080-\ufffc]/);
    }
  });

  it('is different without a seed, and in each of its choices', async () => {
    const request = completion('Once upon a time', { n: 10, max_tokens: 40 });
    const texts = [...(await ask(request)), ...(await ask(request))].flatMap((chunk) => chunk.choices.map(textOf));
    expect(new Set(texts).size).toBeGreaterThan(4);
  });

  it('is the likeliest one at temperature 0, whatever the seed', async () => {
    const texts = await Promise.all(
      [undefined, 1, 2].map(async (seed) => (await ask(chat('What is dew?', { temperature: 0, seed, n: 2 })))[0]!.choices.map(textOf)),
    );
    expect(new Set(texts.flat()).size).toBe(1);
    const tokens = content(await answer(chat('What is dew?', { temperature: 0, logprobs: true, top_logprobs: 1 })));
    for (const token of tokens) expect(token.top_logprobs[0]!.token).toBe(token.token);
  });

  it('usually ends by itself', async () => {
    const [chunk] = await ask(chat('How do I boil an egg?', { n: 20, seed: 1, max_tokens: 300 }));
    expect(chunk!.choices.filter((choice) => choice.finish_reason === 'stop').length).toBeGreaterThan(15);
  });

  it('obeys logit_bias, and reports the probabilities that were there before it', async () => {
    const plain = await answer(chat('Say this is a test', { temperature: 0, logprobs: true, top_logprobs: 0 }));
    const first = content(plain)[0]!;
    const banned = await answer(
      chat('Say this is a test', { temperature: 0, logprobs: true, top_logprobs: 1, logit_bias: await biasOn(first) }),
    );
    expect(content(banned)[0]!.token).not.toBe(first.token);
    expect(content(banned)[0]!.top_logprobs[0]).toEqual({ token: first.token, logprob: first.logprob, bytes: first.bytes });
  });

  it('names logit_bias as dropped where a token does not exist here', async () => {
    const call = testCall({ upstreamModel: 'another-vendors-model' });
    await readAll(provider.generate(chat('Hello', { logit_bias: { 50256: -100 } }), call));
    expect(call.droppedParameters).toEqual(['logit_bias']);
  });
});

/** Looks for the token by its bytes in the vocabulary: banning one id after the other would be slow. */
async function biasOn({ token }: TokenLogprob): Promise<Record<string, number>> {
  const { language } = await import('./language/language.js');
  return { [(await language()).vocabulary.labels.indexOf(token)]: -100 };
}

describe('a chat answer', () => {
  it('streams a role, then content, then an empty delta', async () => {
    const chunks = await ask(chat('Hello', { stream: true, n: 2, seed: 3 }));
    for (const index of [0, 1]) {
      const deltas = chunks.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index));
      expect(deltas[0]).toEqual({ index, delta: { role: 'assistant', content: '' }, finish_reason: null });
      expect(deltas.at(-1)).toEqual({ index, delta: {}, finish_reason: 'stop' });
      for (const { delta } of deltas.slice(1, -1)) expect(delta!.content).not.toBe('');
    }
  });

  it('is about what was asked', async () => {
    expect(textOf(await answer(chat('What is the capital of France?', { temperature: 0 })))).toMatch(/Paris/);
    expect(textOf(await answer(chat('how do i cook rice', { temperature: 0 })))).toMatch(/rice/);
    expect(textOf(await answer(chat('Say this is a test', { temperature: 0 })))).toBe('This is a test.');
  });

  it('tells the bytes of every token, which together are its text', async () => {
    const choice = await answer(chat('Tell me a story', { seed: 4, logprobs: true, top_logprobs: 20 }));
    expect(Buffer.from(content(choice).flatMap((token) => token.bytes!)).toString()).toBe(textOf(choice));
    for (const token of content(choice)) {
      expect(token.top_logprobs).toHaveLength(20);
      const mass = token.top_logprobs.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
      expect(mass).toBeLessThanOrEqual(1 + 1e-9);
    }
  });

  it('takes parts, null content and every role', async () => {
    const messages: ChatGenerationRequest['messages'] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
        name: 'eve',
      },
    ];
    const [chunk] = await ask(chat('', { messages, seed: 1 }), 'a-model-with-vision');
    expect(chunk!.usage!.prompt_tokens).toBeGreaterThan(20);
    expect(chunk!.choices[0]!.finish_reason).toBe('stop');
  });
});

describe('a completion', () => {
  it('has 16 tokens at most when nothing is said', async () => {
    const [chunk] = await ask(completion('The', { seed: 1, logit_bias: { [END]: -100 } }));
    expect(chunk!.usage!.completion_tokens).toBe(16);
    expect(chunk!.choices[0]!.finish_reason).toBe('length');
  });

  it('echoes the prompt alone with max_tokens 0', async () => {
    const choice = await answer(completion('Hello there', { echo: true, max_tokens: 0, logprobs: 2 }));
    expect(textOf(choice)).toBe('Hello there');
    expect(legacy(choice).token_logprobs[0]).toBeNull();
    expect(legacy(choice).top_logprobs![0]).toBeNull();
    expect(
      legacy(choice)
        .token_logprobs.slice(1)
        .every((logprob) => logprob! < 0),
    ).toBe(true);
    expect(choice.finish_reason).toBe('length');
  });

  it('puts every token at its offset, the echoed ones too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer(), async (prompt, seed) => {
        const choice = await answer(completion(prompt, { echo: true, logprobs: 1, seed, max_tokens: 10 }));
        const { tokens, text_offset: offsets, token_logprobs: logprobs, top_logprobs: top } = legacy(choice);
        expect([offsets.length, logprobs.length, top!.length]).toEqual([tokens.length, tokens.length, tokens.length]);
        tokens.forEach((token, i) => {
          if (!token.startsWith('bytes:')) expect(textOf(choice).startsWith(token, offsets[i])).toBe(true);
          if (i > 0) expect(offsets[i]).toBeGreaterThanOrEqual(offsets[i - 1]!);
        });
      }),
      { numRuns: samples(50) },
    );
  });

  it('scores a text the same whether it wrote or read it', async () => {
    const prompt = 'The old clockmaker';
    const written = await answer(completion(prompt, { seed: 8, logprobs: 0, max_tokens: 30, stop: ['\n'] }));
    const read = await answer(completion(prompt + textOf(written), { echo: true, logprobs: 0, max_tokens: 0 }));
    const count = legacy(written).tokens.length;
    expect(legacy(read).tokens.slice(-count)).toEqual(legacy(written).tokens);
    expect(legacy(read).token_logprobs.slice(-count)).toEqual(legacy(written).token_logprobs);
    expect(legacy(written).top_logprobs).toBeNull();
  });

  it('always has the token itself among the likely ones', async () => {
    const choice = await answer(completion('It is', { seed: 2, temperature: 2, logprobs: 1, max_tokens: 40 }));
    legacy(choice).tokens.forEach((token, i) => {
      expect(legacy(choice).top_logprobs![i]![token]).toBe(legacy(choice).token_logprobs[i]);
      expect(Object.keys(legacy(choice).top_logprobs![i]!).length).toBeLessThanOrEqual(2);
    });
  });

  it('writes what leads to the suffix', async () => {
    const request = completion('The capital of France is', { temperature: 0, suffix: '. It lies on the river Seine' });
    const choice = await answer(request);
    expect(textOf(choice)).toBe(' Paris');
    expect(choice.finish_reason).toBe('stop');
    const [chunk] = await ask(request);
    const [without] = await ask({ ...request, suffix: undefined });
    expect(chunk!.usage!.prompt_tokens).toBeGreaterThan(without!.usage!.prompt_tokens);
  });

  it.each([true, false])('is long when asked, without keeping the event loop (stream %s)', async (stream) => {
    await ask(completion('warm up'));
    // The limits are milliseconds of CPU time, which take longer on a busy machine.
    const worked = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1_000;
    };
    let longest = 0;
    let last = worked();
    const turn = () => {
      longest = Math.max(longest, worked() - last);
      last = worked();
    };
    const timer = setInterval(turn, 1);
    const chunks = await ask(completion('The', { stream, max_tokens: 20_000, logit_bias: { [END]: -100 } }), 'another-vendors-model');
    turn();
    clearInterval(timer);
    expect(chunks.at(-1)!.usage!.completion_tokens).toBe(20_000);
    expect(longest).toBeLessThan(200);
  });
});

describe('models', () => {
  it('are all priced, and list only parameters that they honour', () => {
    expect(new Set(provider.models().map((model) => model.id)).size).toBe(sandboxModels.length);
    for (const model of provider.models()) {
      expect(Number(model.price!.prompt)).toBeGreaterThan(0);
      expect(model.id).toMatch(/^sandbox-[a-z-]+$/);
      expect(model.parameters).not.toContain('best_of');
      expect(model.parameters.includes('suffix')).toBe(model.capabilities.completion);
      expect(model.parameters.includes('tools')).toBe(model.capabilities.chat);
    }
  });

  it('that are not its own are answered all the same', async () => {
    expect(textOf((await ask(chat('Hello', { seed: 1 }), 'vendor/model-7'))[0]!.choices[0]!)).not.toBe('');
    expect(textOf((await ask(completion('Once upon', { seed: 1 }), 'vendor/model-7'))[0]!.choices[0]!)).not.toBe('');
  });

  it('refuse a prompt beyond their context', async () => {
    const words = (count: number) => ' the'.repeat(count);
    const [fits] = await ask(completion(words(8_191), { max_tokens: 50, seed: 1, logit_bias: { [END]: -100 } }));
    expect(fits!.usage).toEqual({ prompt_tokens: 8_191, completion_tokens: 1, total_tokens: 8_192 });
    await expect(ask(completion(words(8_192)))).rejects.toMatchObject({ kind: 'context_length_exceeded' });
    await expect(ask(chat(words(8_190)))).rejects.toMatchObject({ kind: 'context_length_exceeded' });
    expect((await ask(completion(words(8_192)), 'vendor/model-7'))[0]!.usage!.prompt_tokens).toBe(8_192);
  });
});

describe('faults', () => {
  const immediate = sandboxModels.filter(({ fault }) => fault && (providerErrorKinds as readonly string[]).includes(fault.kind));

  it.each(immediate.map((model) => [model.id, model.fault!.kind]))('%s is %s', async (id, kind) => {
    await expect(ask(chat('Hello'), id)).rejects.toMatchObject({ name: 'ProviderError', kind });
    await expect(ask(chat('Hello', { stream: true }), id)).rejects.toMatchObject({ kind });
  });

  it('say how long to wait', async () => {
    await expect(ask(chat('Hello'), 'sandbox-rate-limited')).rejects.toMatchObject({ status: 429, retryAfterMs: 2_000 });
  });

  it('the retired model is not available', async () => {
    await expect(ask(chat('Hello'), 'sandbox-retired')).rejects.toMatchObject({ kind: 'model_unavailable' });
  });

  it.each([1, 100])('cut breaks off after some tokens, before any end (max_tokens %i)', async (max_tokens) => {
    const seen: GenerationChunk[] = [];
    const streaming = async () => {
      const call = testCall({ upstreamModel: 'sandbox-cut' });
      for await (const chunk of provider.generate(chat('Hello', { stream: true, max_tokens }), call)) seen.push(chunk);
    };
    await expect(streaming()).rejects.toMatchObject({ kind: 'bad_response' });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.every((chunk) => chunk.choices.every((choice) => choice.finish_reason === null))).toBe(true);
    await expect(ask(chat('Hello'), 'sandbox-cut')).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('sandbox-slow ends at once when the signal aborts', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    const call = testCall({ upstreamModel: 'sandbox-slow', signal: abort.signal });
    expect(await ask(chat('Hello', { stream: true }), 'sandbox-slow', call)).toEqual([]);
  });

  it('sandbox-stall ends at once when the signal aborts', async () => {
    const abort = new AbortController();
    const call = testCall({ upstreamModel: 'sandbox-stall', signal: abort.signal });
    const seen: GenerationChunk[] = [];
    for await (const chunk of provider.generate(chat('Hello', { stream: true }), call)) {
      seen.push(chunk);
      setTimeout(() => abort.abort(), 50);
    }
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((chunk) => !chunk.usage)).toBe(true);
  });
});

describe('the caller', () => {
  const endless = chat('Tell me a story', { stream: true, max_tokens: 100_000, logit_bias: { [END]: -100 } });

  it('stops the answer by aborting', async () => {
    const abort = new AbortController();
    const call = testCall({ upstreamModel: 'big', signal: abort.signal });
    let chunks = 0;
    for await (const _ of provider.generate(endless, call)) if (++chunks === 100) abort.abort();
    expect(chunks).toBe(100);
    await expect(ask({ ...endless, stream: false }, 'big', call)).resolves.toEqual([]);
  });

  it('stops an unstreamed answer and a long prompt too', async () => {
    for (const request of [{ ...endless, stream: false }, completion('Some more text to read. '.repeat(40_000))]) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 5);
      await expect(ask(request, 'big', testCall({ upstreamModel: 'big', signal: abort.signal }))).resolves.toEqual([]);
    }
  });

  it('pauses the answer', async () => {
    const call = testCall({ upstreamModel: 'big' });
    const chunks = provider.generate(endless, call);
    await chunks.next();
    call.flow.set(true);
    let came = false;
    const next = chunks.next().then(() => (came = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(came).toBe(false);
    call.flow.set(false);
    await next;
    expect(came).toBe(true);
    await chunks.return(undefined);
  });

  it('can abort a paused answer', async () => {
    const abort = new AbortController();
    const call = testCall({ upstreamModel: 'big', signal: abort.signal });
    const chunks = provider.generate(endless, call);
    await chunks.next();
    call.flow.set(true);
    const next = chunks.next();
    abort.abort();
    await expect(next).resolves.toEqual({ done: true, value: undefined });
  });
});
