import fc from 'fast-check';
import { charge, parsePrice } from '../../common/prices/credits.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { Usage } from '../../wire/usage.js';
import { usageFrom as fromAiSdk } from '../ai-sdk/usage.js';
import { usageFrom as fromConverse } from '../bedrock/usage.js';
import { usageFrom as fromCohere } from '../cohere/usage.js';
import { usageFrom as fromOllama } from '../ollama/usage.js';
import { MessagesTranslator } from '../protocols/anthropic-messages/translator.js';
import { ChatCompletionsTranslator } from '../protocols/chat-completions/translator.js';
import { GenerateContentTranslator } from '../protocols/gemini-generate-content/translator.js';
import { joinUsages, type Word } from '../protocols/join-usages.js';
import { usageFrom as fromResponses } from '../protocols/openai-responses/usage.js';

/** Credits for 1,000 tokens of each kind. */
const prices = {
  plain: '0.003',
  read: '0.0003',
  short: '0.00375',
  long: '0.006',
  audio: '0.032',
  tools: '0.003',
  text: '0.015',
  reasoning: '0.016',
  spoken: '0.064',
};
const price = parsePrice({
  prompt: prices.plain,
  completion: prices.text,
  cached_input: prices.read,
  cache_write_5m: prices.short,
  cache_write_1h: prices.long,
  audio_input: prices.audio,
  reasoning_output: prices.reasoning,
  audio_output: prices.spoken,
});

/** Tokens of one answer, each of which is of one kind. */
type Counts = Record<keyof typeof prices, number>;
type Part = Exclude<keyof Counts, 'plain' | 'text'>;

interface Sums extends Counts {
  readonly prompt: number;
  readonly completion: number;
  /** Undefined where the vendor tells none. */
  readonly total: number | undefined;
}

interface Form {
  /** Where the vendor's documents count the parts that it knows. */
  readonly places: Readonly<Partial<Record<Part, 'inside' | 'beside'>>>;
  readonly write: (sums: Sums) => JsonObject;
  /** What an answer comes to that tells these usages one after the other. */
  readonly read: (usages: readonly JsonObject[]) => Usage | undefined;
  readonly streams?: true;
  readonly tellsNoTotal?: true;
}

const request: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 1, messages: [] };
const writtenFor = ({ short, long }: Counts) => ({ ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long });
const ofModality = (modality: string, tokenCount: number) => [{ modality, tokenCount }];

/** @param unbilled tokens of Cohere itself, read first and cached first; undefined where nothing says what is billed */
const cohere = (unbilled?: number): Form => ({
  places: { read: 'inside', reasoning: 'inside' },
  tellsNoTotal: true,
  write: ({ prompt, completion, read, reasoning }) => ({
    ...(unbilled !== undefined && { billed_units: { input_tokens: prompt, output_tokens: completion } }),
    tokens: { input_tokens: prompt + (unbilled ?? 0), output_tokens: completion + (unbilled ?? 0), reasoning_tokens: reasoning },
    cached_tokens: read + (unbilled ?? 0),
  }),
  read: (usages) => fromCohere(usages.at(-1)),
});

const chat = (word: Word): Form => ({
  places: { read: 'inside', short: 'inside', long: 'inside', audio: 'inside', reasoning: 'inside', spoken: 'inside' },
  streams: true,
  write: ({ prompt, completion, total, ...counts }) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
    prompt_tokens_details: {
      cached_tokens: counts.read,
      cache_write_tokens: counts.short + counts.long,
      cache_creation_token_details: writtenFor(counts),
      audio_tokens: counts.audio,
    },
    completion_tokens_details: { reasoning_tokens: counts.reasoning, audio_tokens: counts.spoken },
  }),
  read(usages) {
    const translator = new ChatCompletionsTranslator(request, [], word);
    translator.event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] });
    for (const usage of usages) translator.event({ choices: [], usage });
    return translator.end(true).at(-1)?.usage;
  },
});

const forms: Readonly<Record<string, Form>> = {
  'Chat Completions of a known vendor': chat('last'),
  'Chat Completions of anybody': chat('most'),
  Responses: {
    places: { read: 'inside', short: 'inside', reasoning: 'inside' },
    write: ({ prompt, completion, total, read, short, reasoning }) => ({
      input_tokens: prompt,
      output_tokens: completion,
      total_tokens: total,
      input_tokens_details: { cached_tokens: read, cache_write_tokens: short },
      output_tokens_details: { reasoning_tokens: reasoning },
    }),
    read: (usages) => fromResponses({ usage: usages.at(-1) }),
  },
  Messages: {
    places: { read: 'beside', short: 'beside', long: 'beside', reasoning: 'inside' },
    streams: true,
    write: ({ prompt, completion, total, ...counts }) => ({
      input_tokens: prompt,
      output_tokens: completion,
      total_tokens: total,
      cache_read_input_tokens: counts.read,
      cache_creation_input_tokens: counts.short + counts.long,
      cache_creation: writtenFor(counts),
      output_tokens_details: { thinking_tokens: counts.reasoning },
    }),
    read(usages) {
      const translator = new MessagesTranslator(false);
      translator.event({ type: 'message_start', message: { usage: usages[0] } });
      for (const usage of usages.slice(1)) translator.event({ type: 'message_delta', usage });
      translator.event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
      translator.event({ type: 'message_stop' });
      return [...translator.end()].at(-1)?.usage;
    },
  },
  GenerateContent: {
    places: { read: 'inside', audio: 'inside', tools: 'beside', reasoning: 'beside', spoken: 'inside' },
    streams: true,
    write: ({ prompt, completion, total, read, audio, tools, reasoning, spoken }) => ({
      promptTokenCount: prompt,
      candidatesTokenCount: completion,
      totalTokenCount: total,
      cachedContentTokenCount: read,
      toolUsePromptTokenCount: tools,
      thoughtsTokenCount: reasoning,
      promptTokensDetails: ofModality('AUDIO', audio),
      candidatesTokensDetails: ofModality('AUDIO', spoken),
    }),
    read(usages) {
      const translator = new GenerateContentTranslator(request, '01890a5d-ac96-774b-bcce-b302099a8057', []);
      translator.event({ candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] });
      for (const usageMetadata of usages) translator.event({ usageMetadata });
      return translator.end().at(-1)?.usage;
    },
  },
  Converse: {
    places: { read: 'beside', short: 'beside', long: 'beside' },
    write: ({ prompt, completion, total, read, short, long }) => ({
      inputTokens: prompt,
      outputTokens: completion,
      totalTokens: total,
      cacheReadInputTokens: read,
      cacheWriteInputTokens: short + long,
      cacheDetails: [
        { ttl: '5m', inputTokens: short },
        { ttl: '1h', inputTokens: long },
      ],
    }),
    read: (usages) => fromConverse(usages.at(-1)),
  },
  Ollama: {
    places: { read: 'inside' },
    tellsNoTotal: true,
    write: ({ prompt, completion, read }) => ({ prompt_eval_count: prompt, eval_count: completion, prompt_eval_cached_count: read }),
    read: (usages) => fromOllama(usages.at(-1)!, true).usage,
  },
  'Cohere, which bills all that it counts': cohere(0),
  'Cohere, which reads more than it bills': cohere(1_400),
  'Cohere, which says nothing of what it bills': cohere(),
  'AI SDK': {
    places: { read: 'inside', short: 'inside', reasoning: 'inside' },
    tellsNoTotal: true,
    write: ({ prompt, completion, read, short, reasoning }) => ({
      inputTokens: { total: prompt, noCache: undefined, cacheRead: read, cacheWrite: short },
      outputTokens: { total: completion, text: undefined, reasoning },
    }),
    read: (usages) => fromAiSdk(usages.at(-1) as unknown as Parameters<typeof fromAiSdk>[0]),
  },
};

const ofPrompt: ReadonlySet<string> = new Set<Part>(['read', 'short', 'long', 'audio', 'tools']);
const none: Counts = { plain: 0, read: 0, short: 0, long: 0, audio: 0, tools: 0, text: 0, reasoning: 0, spoken: 0 };
const partsIn = ({ places }: Form) => Object.keys(places) as Part[];
/** Writes are counted in one place, however long they are kept. */
const kindsIn = (form: Form) => partsIn(form).filter((part) => part !== 'long');
const kindOf = (part: Part) => (part === 'long' ? 'short' : part);
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

/** @param moved parts that are counted in another place than the documents say */
function written(form: Form, counts: Counts, moved: readonly Part[] = [], total = !form.tellsNoTotal): JsonObject {
  const inside = (of: 'prompt' | 'completion') => (part: Part) =>
    ofPrompt.has(part) === (of === 'prompt') && (form.places[part] === 'inside') !== moved.includes(kindOf(part));
  const within = (of: 'prompt' | 'completion') =>
    sum(
      partsIn(form)
        .filter(inside(of))
        .map((part) => counts[part]),
    );
  const sums = { prompt: counts.plain + within('prompt'), completion: counts.text + within('completion') };
  return JSON.parse(
    JSON.stringify(form.write({ ...counts, ...sums, total: total ? sum(Object.values(counts)) : undefined })),
  ) as JsonObject;
}

/** By nothing of the gateway's own arithmetic. */
function due(counts: Counts): bigint {
  const nano = (credits: string) => BigInt(Math.round(Number(credits) * 1e9));
  const thousandths = Object.entries(prices).reduce((all, [kind, each]) => all + BigInt(counts[kind as keyof Counts]) * nano(each), 0n);
  return (thousandths + 999n) / 1_000n;
}

function charged(usage: Usage | undefined): bigint | undefined {
  return usage && charge(price, usage.prompt_tokens, usage.completion_tokens, partsOf(price, [usage], { startedAt: 0 }));
}

const countsOf = (form: Form): fc.Arbitrary<Counts> => {
  const kinds = ['plain', 'text', ...partsIn(form)] as const;
  return fc
    .record(Object.fromEntries(kinds.map((kind) => [kind, fc.integer({ min: 1, max: 100_000 })])))
    .map((some) => ({ ...none, ...some }));
};

/** In how many ways parts that are counted elsewhere than documented make a total so much more. */
function waysTo(more: number, form: Form, counts: Counts): number {
  let changes = [0];
  for (const part of kindsIn(form)) changes = changes.flatMap((one) => [one, one + change(part, form, counts)]);
  return changes.filter((one) => one === more).length;
}

function change(part: Part, { places }: Form, counts: Counts): number {
  return (places[part] === 'beside' ? -1 : 1) * (part === 'short' ? counts.short + counts.long : counts[part]);
}

describe.each(Object.keys(forms))('A usage of %s', (name) => {
  const form = forms[name]!;

  it('is charged by its documents, and where its total says otherwise of any part, by that', () => {
    const moves = form.tellsNoTotal ? fc.constant([]) : fc.subarray(kindsIn(form), { maxLength: Math.min(4, kindsIn(form).length) });
    fc.assert(
      fc.property(countsOf(form), moves, fc.boolean(), (counts, moved, total) => {
        fc.pre(waysTo(sum(moved.map((part) => change(part, form, counts))), form, counts) === 1);
        const usage = form.read([written(form, counts, moved, !form.tellsNoTotal && (total || moved.length > 0))]);
        expect(charged(usage)).toBe(due(counts));
        expect(usage).toMatchObject({ total_tokens: sum(Object.values(counts)) });
        expect(usage).not.toHaveProperty('contradictory');
      }),
    );
  });

  if (form.tellsNoTotal) return;

  it('says that it is contradictory where its total is less than its counts, which are charged', () => {
    fc.assert(
      fc.property(countsOf(form), fc.integer({ min: 1, max: 1_000 }), (counts, less) => {
        const usage = written(form, counts);
        const total = Object.keys(usage).find((member) => member.startsWith('total'))!;
        const told = Number(usage[total]) - less;
        fc.pre(told > 0 && waysTo(-less, form, counts) === 0);
        const read = form.read([{ ...usage, [total]: told }]);
        expect(charged(read)).toBe(due(counts));
        expect(read).toHaveProperty('contradictory', true);
      }),
    );
  });

  it('is charged by its documents where its total leaves out what is more than its prompt', () => {
    if (form.places.read !== 'beside') return;
    const [plain, more] = [fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 50_000 })];
    fc.assert(
      fc.property(plain, more, plain, (prompt, beyond, text) => {
        const counts = { ...none, plain: prompt, read: prompt + beyond, text };
        const usage = written(form, counts);
        const total = Object.keys(usage).find((member) => member.startsWith('total'))!;
        const read = form.read([{ ...usage, [total]: prompt + text }]);
        expect(charged(read)).toBe(due(counts));
        expect(read).toHaveProperty('contradictory', true);
      }),
    );
  });

  if (!form.streams) return;

  it('that a stream tells in pieces is the same as in one', () => {
    fc.assert(
      fc.property(countsOf(form), fc.infiniteStream(fc.boolean()), (counts, choices) => {
        const whole = written(form, counts);
        const [one, other]: [JsonObject, JsonObject] = [{}, {}];
        for (const member in whole) (choices.next().value ? one : other)[member] = whole[member];
        expect(charged(form.read([one, other]))).toBe(due(counts));
        expect(charged(form.read([whole, one]))).toBe(due(counts));
      }),
    );
  });

  it('that corrects an earlier one counts, each of its parts, or where nobody knows the most of each', () => {
    fc.assert(
      fc.property(countsOf(form), fc.array(countsOf(form), { minLength: 1, maxLength: 3 }), (last, earlier) => {
        const told = [...earlier, last];
        const read = form.read(told.map((counts) => written(form, counts)));
        if (name !== 'Chat Completions of anybody') expect(charged(read)).toBe(due(last));
        else expect(read?.prompt_tokens).toBe(Math.max(...told.map((counts) => Number(written(form, counts)['prompt_tokens']))));
      }),
    );
  });

  if (form.places.read !== 'inside' || name === 'Chat Completions of anybody') return;

  it('that corrects a prompt has no parts of it but those that it tells', () => {
    fc.assert(
      fc.property(
        countsOf(form),
        fc.integer({ min: 1, max: 100_000 }),
        fc.oneof(fc.constant(0), fc.nat(100_000)),
        (counts, plain, read) => {
          const earlier = { ...counts, reasoning: 0, spoken: 0 };
          const last = { ...none, plain, read, text: counts.text };
          fc.pre(plain + read !== sum(Object.values(earlier)) - counts.text - (form.places.tools ? counts.tools : 0));
          // Zeros are left out.
          const told = JSON.parse(
            JSON.stringify(written(form, last), (_name, value: unknown) => (value === 0 ? undefined : value)),
          ) as JsonObject;
          const usage = form.read([written(form, earlier), told]);
          expect(charged(usage)).toBe(due(last));
          expect(usage).not.toHaveProperty('contradictory');
        },
      ),
    );
  });
});

describe('joinUsages', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'a correction',
      { promptTokenCount: 169, totalTokenCount: 169 },
      { promptTokenCount: 79, totalTokenCount: 89 },
      { promptTokenCount: 79, totalTokenCount: 89 },
    ],
    ['what is left out', { a_tokens: 3, details: { b: 4 } }, { details: { c: 5 } }, { a_tokens: 3, details: { b: 4, c: 5 } }],
    [
      'zeros of who has not counted',
      { input_tokens: 9, output_tokens: 3 },
      { input_tokens: 0, output_tokens: 5 },
      { input_tokens: 9, output_tokens: 5 },
    ],
    ['zeros of who has', { prompt_tokens: 9, cached: 3 }, { prompt_tokens: 9, cached: 0 }, { prompt_tokens: 9, cached: 0 }],
    ['what is no count', { prompt_tokens: 9 }, { prompt_tokens: -1 }, { prompt_tokens: 9 }],
    [
      'a total of other counts',
      { prompt_tokens: 9, total_tokens: 9 },
      { completion_tokens: 5 },
      { prompt_tokens: 9, completion_tokens: 5 },
    ],
    [
      'a total of the same counts',
      { prompt_tokens: 9, total_tokens: 9 },
      { prompt_tokens: 9, sources: 5 },
      { prompt_tokens: 9, total_tokens: 9, sources: 5 },
    ],
  ])('knows %s', (_what, before, told, joined) => expect(joinUsages(before, told, 'last')).toEqual(joined));

  it.each<[string, JsonObject]>([
    ['a text', { prompt_tokens: 5, text: 'x'.repeat(20_000) }],
    ['a list', { prompt_tokens: 5, details: { list: Array.from({ length: 10_000 }, () => ({})) } }],
    ['names', Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`name_${i}`, 1]))],
  ])('does not keep a usage that is long by %s', (_what, told) => {
    const before = { prompt_tokens: 9 };
    expect(joinUsages(before, told, 'last')).toBe(before);
  });
});
