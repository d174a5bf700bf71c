import type * as google from '@google/genai';
import type * as ours from './wire.js';
import fc from 'fast-check';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { collect } from '../../testing/collect.js';
import { GenerateContentTranslator } from './translator.js';
import type { Candidate, GenerateContentResponse } from './wire.js';

const requestId = '01890a5d-ac96-774b-bcce-b302099a8057';

function translator(fields: Partial<ChatGenerationRequest> = {}): GenerateContentTranslator {
  return new GenerateContentTranslator({ operation: 'chat', model: 'm', stream: true, n: 1, messages: [], ...fields }, requestId, []);
}

function streamed(events: readonly GenerateContentResponse[], fields?: Partial<ChatGenerationRequest>) {
  const answer = translator(fields);
  return [...events.map((event) => answer.event(event)).filter((chunk) => chunk !== undefined), ...answer.end()];
}

const whole = (body: GenerateContentResponse, fields?: Partial<ChatGenerationRequest>) => translator(fields).whole(body);

const saying = (text: string, rest: Partial<Candidate> = {}): GenerateContentResponse => ({
  candidates: [{ content: { parts: [{ text }] }, ...rest }],
});

const calling = (...calls: Record<string, unknown>[]): GenerateContentResponse => ({
  candidates: [{ content: { parts: calls.map((functionCall) => ({ functionCall })) }, finishReason: 'STOP' }],
});

const kindOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return (error as { kind?: unknown }).kind;
  }
  return 'no error';
};

describe('GenerateContentTranslator', () => {
  it('begins with the role and ends each choice with an empty delta, its finish reason and the usage', () => {
    const chunks = streamed([
      { ...saying('Hel'), usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 } },
      { ...saying('lo', { finishReason: 'STOP' }), usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 } },
    ]);
    expect(chunks).toEqual([
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }], promptTokens: 3, tokens: 1 },
      { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }], tokens: 3 },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
    ]);
  });

  it('takes Google’s last word on each count', () => {
    const chunks = streamed([
      { ...saying('Hel'), usageMetadata: { promptTokenCount: 169, candidatesTokenCount: 5, totalTokenCount: 174 } },
      { ...saying('lo', { finishReason: 'STOP' }), usageMetadata: { promptTokenCount: 79, candidatesTokenCount: 4, totalTokenCount: 83 } },
    ]);
    expect(chunks.map(({ promptTokens, tokens }) => [promptTokens, tokens])).toEqual([
      [169, 5],
      [79, 0],
      [undefined, undefined],
    ]);
    expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 79, completion_tokens: 4, total_tokens: 83 });
  });

  it('tells at once what Google has counted of thoughts, seen or not', () => {
    const thinking = new GenerateContentTranslator(
      { operation: 'chat', model: 'm', stream: true, n: 1, messages: [] },
      '01890a5d-ac96-774b-bcce-b302099a8057',
      [],
    );
    const candidates = [{ content: { parts: [{ text: 'Hi' }] } }];
    const counts = { promptTokenCount: 9, thoughtsTokenCount: 5_000 };
    expect(thinking.event({ usageMetadata: counts })?.usageSoFar).toMatchObject({ prompt_tokens: 9, completion_tokens: 5_000 });
    const chunk = thinking.event({ candidates, usageMetadata: { ...counts, thoughtsTokenCount: 6_000, candidatesTokenCount: 2 } });
    expect(chunk).toMatchObject({
      promptTokens: 9,
      tokens: 6_002,
      usageSoFar: { completion_tokens_details: { reasoning_tokens: 6_000 } },
    });
  });

  it('tells reasoning from text, and signatures from both', () => {
    const parts = [{ text: 'hm', thought: true }, { text: 'so' }, { text: '', thoughtSignature: 'S' }];
    const { choices } = whole({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
    expect(choices).toEqual([
      {
        index: 0,
        delta: { role: 'assistant', reasoning_content: 'hm', content: 'so', extra_content: { google: { thought_signature: 'S' } } },
        finish_reason: 'stop',
      },
    ]);
  });

  it('numbers tool calls through all events and gives ids where Google gives none', () => {
    const chunks = streamed([calling({ name: 'f', args: { a: 1 } }, { id: 'own', name: 'g' }), calling({ name: 'f', args: null })]);
    const [choice] = collect(chunks).choices;
    expect(choice?.finishReason).toBe('tool_calls');
    expect(choice?.toolCalls).toEqual([
      { id: 'call_gm774bbcceb302099a8057_0_0', name: 'f', arguments: '{"a":1}' },
      { id: 'own', name: 'g', arguments: '{}' },
      { id: 'call_gm774bbcceb302099a8057_0_2', name: 'f', arguments: '{}' },
    ]);
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
  ])('finishes %s as %s, streamed and not', (finishReason, finish_reason) => {
    expect(streamed([saying('x'), { candidates: [{ finishReason }] }]).at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason }]);
    expect(whole({ candidates: [{ finishReason }] }).choices).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason },
    ]);
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'OTHER', 'SOMETHING_NEW', 'constructor'])(
    'does not pass %s off as an answer',
    (finishReason) => {
      expect(kindOf(() => whole(saying('half', { finishReason })))).toBe('bad_response');
      expect(kindOf(() => streamed([saying('half', { finishReason })]))).toBe('bad_response');
    },
  );

  it('keeps length and content_filter where functions were called', () => {
    const { candidates } = calling({ name: 'f', args: {} });
    expect(whole({ candidates: [{ ...candidates?.[0], finishReason: 'MAX_TOKENS' }] }).choices[0]?.finish_reason).toBe('length');
  });

  it('takes a finish reason in every event for what it is worth', () => {
    const { choices } = collect(streamed([saying('a', { finishReason: 'STOP' }), saying('b', { finishReason: 'MAX_TOKENS' })]));
    expect(choices).toMatchObject([{ text: 'ab', finishReason: 'length' }]);
  });

  it('keeps candidates apart and leaves out what nobody asked for', () => {
    const candidate = (index: number | undefined, text: string): Candidate => ({
      index,
      content: { parts: [{ text }] },
      finishReason: 'STOP',
    });
    const events = [
      { candidates: [candidate(undefined, 'a'), candidate(1, 'x')] },
      { candidates: [candidate(1, 'y')] },
      { candidates: [candidate(7, '?'), candidate(-1, '?')] },
    ];
    const texts = collect(streamed(events, { n: 2 })).choices.map(({ text }) => text);
    expect(texts).toEqual(['a', 'xy']);
  });

  it.each<[string, GenerateContentResponse[]]>([
    ['nothing', []],
    ['no finish reason', [saying('half')]],
    ['an unspecified one', [saying('half', { finishReason: 'FINISH_REASON_UNSPECIFIED' })]],
    ['usage alone', [{ usageMetadata: { promptTokenCount: 1 } }]],
  ])('is a bad response when the stream ends with %s', (_name, events) => {
    expect(kindOf(() => streamed(events))).toBe('bad_response');
  });

  it('gives the choices that are there where not all are, and is a bad response when one has not ended', () => {
    const first = saying('x', { finishReason: 'STOP' });
    expect(collect(streamed([first], { n: 2 })).choices.map(({ index }) => index)).toEqual([0]);
    expect(kindOf(() => streamed([first, saying('y', { index: 1 })], { n: 2 }))).toBe('bad_response');
  });

  it('is settled once every choice has ended and the usage is known, unless it goes on behind an end', () => {
    const answer = translator();
    const settled = (event: GenerateContentResponse) => {
      answer.event(event);
      return answer.settled;
    };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    expect(settled({ ...saying('a'), usageMetadata })).toBe(false);
    expect(settled({ ...saying('b', { finishReason: 'STOP' }), usageMetadata })).toBe(true);
    expect(settled({ ...saying('c', { finishReason: 'STOP' }), usageMetadata })).toBe(false);
  });

  it('tolerates what is missing', () => {
    const odd = [
      {},
      { candidates: null },
      { candidates: [] },
      { candidates: [{}] },
      { candidates: [{ content: null }] },
      { candidates: [{ content: {} }] },
      { candidates: [{ content: { parts: null } }] },
      { candidates: [{ content: { parts: [] } }] },
      { candidates: [{ content: { parts: [null, {}, { text: '' }, { functionCall: {} }, { functionCall: null }] } }] },
      { candidates: [{ content: { parts: [{ executableCode: { code: 'x' } }, { inlineData: {} }] } }] },
      { usageMetadata: null, promptFeedback: null },
      { usageMetadata: { trafficType: 'ON_DEMAND' } },
    ] as GenerateContentResponse[];
    const chunks = streamed([...odd, saying('x', { finishReason: 'STOP' }), ...odd]);
    expect(chunks).toEqual([
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'x' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]);
  });

  it('gives an empty answer a role', () => {
    expect(streamed([{ candidates: [{ finishReason: 'STOP' }] }])).toEqual([
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]);
  });

  it('says that a prompt was blocked', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'Not that.' }, usageMetadata: { promptTokenCount: 4 } };
    for (const run of [() => whole(blocked), () => streamed([blocked])]) {
      expect(kindOf(run)).toBe('content_filtered');
      expect(run).toThrow('The prompt was blocked (SAFETY): Not that.');
    }
  });

  it('says that an error came in the middle of a stream', () => {
    const error = { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' };
    expect(kindOf(() => streamed([saying('x'), { error }]))).toBe('overloaded');
    expect(kindOf(() => whole({ error }))).toBe('overloaded');
  });

  it.each([
    [{ promptTokenCount: 5, candidatesTokenCount: 7 }, [5, 7, 12]],
    [{ promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 20, toolUsePromptTokenCount: 100 }, [105, 27, 132]],
    [{ promptTokenCount: 5, totalTokenCount: 30 }, [5, 25, 30]],
    [{ promptTokenCount: 5, totalTokenCount: 5 }, [5, 0, 5]],
    [{ promptTokenCount: 5, thoughtsTokenCount: 20, totalTokenCount: 25 }, [5, 20, 25]],
    [{ promptTokenCount: 5, candidatesTokenCount: 1.5, totalTokenCount: 8 }, [5, 3, 8]],
    [{ promptTokenCount: -5, candidatesTokenCount: 7, totalTokenCount: 3 }, undefined],
    [{ promptTokenCount: 5, candidatesTokenCount: -7, totalTokenCount: 9 }, undefined],
    [{ promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: -1 }, undefined],
    [{}, undefined],
  ])('counts %j', (usageMetadata, counts) => {
    const { usage } = whole({ ...saying('x', { finishReason: 'STOP' }), usageMetadata });
    expect(usage && [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]).toEqual(counts);
  });

  it('takes counts below zero on the way for not told', () => {
    const usageMetadata = { promptTokenCount: -5, candidatesTokenCount: -7 };
    const [chunk] = streamed([{ ...saying('x', { finishReason: 'STOP' }), usageMetadata }]);
    expect(chunk).not.toHaveProperty('promptTokens');
    expect(chunk).not.toHaveProperty('tokens');
  });

  it('gives log probabilities the shape of the wire format', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', tokenId: 5, logProbability: -0.25 }, { token: '\ufffd' }],
      topCandidates: [
        {
          candidates: [
            { token: 'é', logProbability: -0.25 },
            { token: 'e', logProbability: -2 },
          ],
        },
        {},
      ],
    };
    const body = saying('é', { finishReason: 'STOP', logprobsResult });
    expect(whole(body, { logprobs: true, top_logprobs: 1 }).choices[0]?.logprobs).toEqual({
      content: [
        { token: 'é', logprob: -0.25, bytes: [195, 169], top_logprobs: [{ token: 'é', logprob: -0.25, bytes: [195, 169] }] },
        { token: '\ufffd', logprob: 0, bytes: null, top_logprobs: [] },
      ],
      refusal: null,
    });
    expect(whole(body, { logprobs: true }).choices[0]?.logprobs).toMatchObject({ content: [{ top_logprobs: [] }, { top_logprobs: [] }] });
  });

  it('says the same whichever way the parts of an answer are spread over events', () => {
    const part = fc.oneof(
      fc.record({ text: fc.string() }),
      fc.record({ text: fc.string(), thought: fc.constant(true) }),
      fc.record({ text: fc.constant(''), thoughtSignature: fc.base64String({ minLength: 4 }) }),
      fc.record({ functionCall: fc.record({ name: fc.constantFrom('f', 'g'), args: fc.dictionary(fc.string(), fc.jsonValue()) }) }),
    );
    const answers = fc.record({
      parts: fc.array(part, { maxLength: 12 }),
      finishReason: fc.constantFrom('STOP', 'MAX_TOKENS', 'SAFETY'),
      cuts: fc.array(fc.nat(12)),
      usage: fc.record({ promptTokenCount: fc.nat(1_000), candidatesTokenCount: fc.nat(1_000), thoughtsTokenCount: fc.nat(1_000) }),
    });
    fc.assert(
      fc.property(answers, ({ parts, finishReason, cuts, usage }) => {
        const bounds = [0, ...cuts.filter((cut) => cut < parts.length).sort((a, b) => a - b), parts.length];
        const pieces = bounds.slice(1).map((to, index) => parts.slice(bounds[index], to));
        const events = pieces.map((slice, index): GenerateContentResponse => {
          const last = index === pieces.length - 1;
          const usageMetadata = last ? usage : { ...usage, candidatesTokenCount: 0 };
          return { candidates: [{ content: { parts: slice }, ...(last ? { finishReason } : {}) }], usageMetadata };
        });
        const apart = collect(streamed(events));
        const together = collect([whole({ candidates: [{ content: { parts }, finishReason }], usageMetadata: usage })]);
        const said = ({ choices, usage: counted }: typeof apart) => ({
          choices: choices.map((choice) => ({ ...choice, text: choice.text ?? '' })),
          counted,
        });
        expect(said(apart)).toEqual(said(together));
      }),
    );
  });
});

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** What we send, Google's own client may send. Its enums are compared by their words. */
type Sent = [
  Is<ours.Content, google.Content>,
  Is<ours.FunctionDeclaration, google.FunctionDeclaration>,
  Is<keyof ours.GenerationConfig, keyof google.GenerationConfig>,
  Is<Omit<ours.GenerationConfig, 'thinkingConfig'>, google.GenerationConfig>,
  Is<keyof ours.ThinkingConfig, keyof google.ThinkingConfig>,
  Is<NonNullable<ours.GenerateContentRequest['toolConfig']>['functionCallingConfig']['mode'], `${google.FunctionCallingConfigMode}`>,
  Is<keyof NonNullable<ours.GenerateContentRequest['toolConfig']>['functionCallingConfig'], keyof google.FunctionCallingConfig>,
];

/** What Google's own client reads, we read. */
type Read = [
  Is<google.GenerateContentResponse, ours.GenerateContentResponse>,
  // Its type for the Live API alone knows `serviceTier`, which the answers of both have.
  Is<keyof ours.UsageMetadata, keyof google.GenerateContentResponseUsageMetadata | keyof google.UsageMetadata>,
];

it('the wire types are those of Google’s own client, which the compiler checks', () => {
  const checked: [Sent, Read] | undefined = undefined;
  expect(checked).toBeUndefined();
});
