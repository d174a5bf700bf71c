import fc from 'fast-check';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { Usage } from '../../wire/usage.js';
import { MessagesTranslator } from './anthropic-messages/translator.js';
import { ChatCompletionsTranslator } from './chat-completions/translator.js';
import { GenerateContentTranslator } from './gemini-generate-content/translator.js';
import { mostOf } from './most-of.js';

const request: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 1, messages: [] };

/** What a stream comes to in which the vendor tells these usages one after the other. */
const readers: Record<string, (usages: readonly JsonObject[]) => Usage | undefined> = {
  'Chat Completions': (usages) => {
    const translator = new ChatCompletionsTranslator(request, []);
    translator.event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] });
    for (const usage of usages) translator.event({ choices: [], usage });
    return translator.end(true).at(-1)?.usage;
  },
  Messages: (usages) => {
    const translator = new MessagesTranslator(false);
    translator.event({ type: 'message_start', message: { usage: usages[0] } });
    for (const usage of usages.slice(1)) translator.event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
    translator.event({ type: 'message_stop' });
    return [...translator.end()].at(-1)?.usage;
  },
  GenerateContent: (usages) => {
    const translator = new GenerateContentTranslator(request, '01890a5d-ac96-774b-bcce-b302099a8057', []);
    translator.event({ candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] });
    for (const usageMetadata of usages) translator.event({ usageMetadata });
    return translator.end().at(-1)?.usage;
  },
};

const complete: Record<string, JsonObject> = {
  'Chat Completions': {
    prompt_tokens: 1_000,
    completion_tokens: 50,
    total_tokens: 1_050,
    prompt_tokens_details: { cached_tokens: 900, audio_tokens: 7 },
    completion_tokens_details: { reasoning_tokens: 20 },
    server_tool_use: { web_search_requests: 3 },
  },
  Messages: {
    input_tokens: 1_000,
    output_tokens: 50,
    cache_read_input_tokens: 900,
    cache_creation_input_tokens: 70,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 50 },
    server_tool_use: { web_search_requests: 3 },
  },
  GenerateContent: {
    promptTokenCount: 1_000,
    candidatesTokenCount: 50,
    thoughtsTokenCount: 20,
    cachedContentTokenCount: 900,
    totalTokenCount: 1_070,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 800 },
      { modality: 'AUDIO', tokenCount: 200 },
    ],
  },
};

/** A usage of the same answer that tells no more of any count: parts are missing, or are those of an earlier time. */
const partOf = (whole: unknown): fc.Arbitrary<unknown> => {
  if (typeof whole === 'number') return fc.constantFrom(whole, 0, Math.floor(whole / 2));
  if (Array.isArray(whole)) return fc.shuffledSubarray(whole);
  if (!isObject(whole)) return fc.constant(whole);
  const parts = Object.entries(whole).map(([name, value]) => [name, fc.option(partOf(value), { nil: undefined })] as const);
  return fc
    .record(Object.fromEntries(parts))
    .map((told) => Object.fromEntries(Object.entries(told).filter(([, one]) => one !== undefined)));
};

describe.each(Object.keys(complete))('Several usages of one answer of %s', (format) => {
  const whole = complete[format]!;
  const read = readers[format]!;

  it('come to the most of each count, in any order and however they are split', () => {
    const expected = read([whole, {}]);
    expect(expected?.prompt_tokens_details?.cached_tokens).toBe(900);
    const pieces = fc.shuffledSubarray(Object.keys(whole)).chain((names) => {
      const [one, other] = [Object.fromEntries(names.map((name) => [name, whole[name]])), { ...whole }];
      for (const name of names) delete other[name];
      return fc
        .array(partOf(whole) as fc.Arbitrary<JsonObject>, { maxLength: 3 })
        .chain((earlier) => fc.shuffledSubarray([one, other, ...earlier], { minLength: earlier.length + 2 }));
    });
    fc.assert(fc.property(pieces, (usages) => expect(read(usages)).toEqual(expected)));
  });
});

describe('mostOf', () => {
  it('has a limit on names and on depth', () => {
    const names = (from: number): JsonObject => Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`n${from + i}`, 1]));
    expect(Object.keys(mostOf(mostOf({}, names(0)), names(50)))).toHaveLength(64);
    let deep: JsonObject = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    expect(() => mostOf(mostOf({}, deep), deep)).not.toThrow();
  });
});
