import { createHash } from 'node:crypto';
import { jest } from '@jest/globals';
import { samples } from '../../common/testing/long-form.js';
import type { ContentPart, Delta, Message, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { UpstreamMeter } from '../attempts/upstream-meter.js';
import { promptSize, settingsSize } from '../planning/token-counter.js';
import { type CountedAnswer, ENOUGH, OfferCalibration } from './offer-calibration.js';
import { facts, factsOfReasoning, type Rates } from './rates.js';
import { said } from '../../wire/testing/said.js';

/** Numbers from 0 to 1 that are the same in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const english =
  'The harbour was quiet when the first boats came back, and nobody on the pier asked how the night had been. You can read the report again tomorrow; it explains why the committee decided to postpone the construction of the bridge. ';
const german =
  'Die Geschwindigkeitsbegrenzung auf der Landstraße wurde gestern aufgehoben, obwohl die Gemeindeverwaltung noch keine Stellungnahme abgegeben hat. Wir müssen daher überlegen, ob sich das Vorhaben lohnt. ';
const french = "L'été dernier, nous avons traversé la forêt à pied; les élèves étaient fatigués, mais très heureux d'être arrivés. ";
const chinese = '今天天气很好，我们一起去公园散步，然后在湖边的小餐馆吃了午饭。这个问题需要更多的时间来考虑。';
const russian = 'Вчера вечером мы долго говорили о том, как изменилась жизнь в этом городе за последние десять лет. ';
const code =
  'export function total(items: readonly Item[]): number {\n  let sum = 0;\n  for (const { price, count } of items) sum += price * count;\n  return Math.round(sum * 100) / 100;\n}\n';
const json = '{"id":"a81f","created":1712345678,"items":[{"sku":"X-1093","price":12.5,"tags":["new","sale"]},{"sku":"B-77","price":3}]}';

const az = 'abcdefghijklmnopqrstuvwxyz';

/** Characters drawn at random. */
const drawn = (random: () => number, from: string) => Array.from({ length: 32 }, () => from[Math.floor(random() * from.length)]).join('');

/** A kind of text, and how many bytes of it a token has at vendors, from and to. */
type Sort = readonly [name: string, share: number, text: (random: () => number) => string];
const sorts: readonly Sort[] = [
  ['english', 0.45, () => english],
  ['german', 0.08, () => german],
  ['french', 0.05, () => french],
  ['chinese', 0.1, () => chinese],
  ['russian', 0.05, () => russian],
  ['code', 0.15, () => code],
  ['json', 0.09, () => json],
  ['base64', 0.03, (random) => createHash('sha512').update(String(random())).digest('base64')],
];

interface Model {
  /** Bytes a token. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Tokens of every prompt beside its text. */
  readonly template: number;
  /** Tokens of a prompt with tools beside, and bytes a token of their declarations. */
  readonly tools: number;
  readonly toolBytes: number;
  /** Tokens of a call of a tool beside its arguments. */
  readonly call: number;
}

/** Like models in use with vocabularies that are large and new, of medium size, and old. */
const models: Readonly<Record<string, Model>> = {
  large: {
    bytes: { english: 4.7, german: 4.2, french: 4.1, chinese: 4.1, russian: 6.2, code: 3.9, json: 2.9, base64: 1.6 },
    template: 7,
    tools: 12,
    toolBytes: 5.5,
    call: 14,
  },
  medium: {
    bytes: { english: 4.5, german: 3.6, french: 3.6, chinese: 2.6, russian: 4.2, code: 3.6, json: 2.6, base64: 1.5 },
    template: 40,
    tools: 346,
    toolBytes: 3.9,
    call: 40,
  },
  old: {
    bytes: { english: 4.1, german: 3.0, french: 3.0, chinese: 2.2, russian: 3.3, code: 2.9, json: 2.2, base64: 1.3 },
    template: 7,
    tools: 12,
    toolBytes: 3.5,
    call: 8,
  },
};

interface Exchange {
  readonly request: ChatGenerationRequest;
  readonly answer: string;
  /** Arguments of the calls that follow it. */
  readonly calls: readonly string[];
  readonly promptTokens: number;
  readonly completionTokens: number;
}

function exchange(random: () => number, model: Model, agents = 0): Exchange {
  const pick = (): Sort => {
    let left = random();
    return sorts.find(([, share]) => (left -= share) < 0) ?? sorts[0]!;
  };
  const made = ([name, , text]: Sort, bytes: number) => {
    let all = '';
    while (Buffer.byteLength(all) < bytes) all += text(random);
    return { all, tokens: Buffer.byteLength(all) / (model.bytes[name]! * (0.94 + 0.12 * random())) };
  };
  const asked = (messages: Message[], tools?: Tool[]): ChatGenerationRequest => {
    return { operation: 'chat', model: 'm', stream: true, n: 1, messages, ...(tools && { tools }) };
  };
  const prompt = made(pick(), 200 + 6_000 * random() ** 2);
  if (random() >= agents) {
    const answer = made(pick(), 200 + 3_000 * random());
    return {
      request: asked([said.user(prompt.all)]),
      answer: answer.all,
      calls: [],
      promptTokens: Math.ceil(prompt.tokens) + model.template,
      completionTokens: Math.ceil(answer.tokens),
    };
  }
  const tools = Array.from({ length: 1 + Math.floor(7 * random()) }, (_, index) => toolOf(index));
  const told = made(sorts[6]!, 200 + 3_000 * random());
  const answer = made(sorts[0]!, 230 * Math.floor(3 * random()));
  const calls = Array.from({ length: 1 + Math.floor(2 * random()) }, () => made(sorts[6]!, 60 + 200 * random()));
  const declared = JSON.stringify(tools).length - 120 * tools.length;
  return {
    request: asked([said.user(prompt.all), said.assistant('I look it up.'), said.result('a', told.all)], tools),
    answer: answer.all,
    calls: calls.map(({ all }) => all),
    promptTokens: Math.ceil(prompt.tokens + told.tokens + declared / model.toolBytes) + model.template + model.tools + 15,
    completionTokens: Math.ceil(calls.reduce((sum, { tokens }) => sum + tokens + model.call, answer.tokens)),
  };
}

function toolOf(index: number): Tool {
  const parameters = { type: 'object', properties: { name: { type: 'string', description: english.slice(40, 100) } }, required: ['name'] };
  return { type: 'function', function: { name: `look_up_${index}`, description: english.slice(index, 120 + 20 * index), parameters } };
}

/** @param size characters of one event: a token, or what vendors send that gather them */
function metered({ request, answer, calls }: Exchange, size: number, rates: Rates): UpstreamMeter {
  const { bytes, toolBytes } = settingsSize(request);
  const promptBytes = bytes + promptSize(request, () => 0).bytes;
  const meter = new UpstreamMeter(request, promptBytes, { prompt: 1e6, completion: 1e6, possibleCompletion: 1e6 }, rates, [], toolBytes);
  const say = (text: string, delta: (part: string) => Delta) => {
    for (let at = 0; at < text.length; at += size)
      meter.see({ choices: [{ index: 0, delta: delta(text.slice(at, at + size)), finish_reason: null }] });
  };
  say(answer, (content) => ({ content }));
  for (const [index, call] of calls.entries()) {
    const named = { index, id: `call_${index}`, function: { name: 'look_up_1', arguments: '' } };
    meter.see({ choices: [{ index: 0, delta: { tool_calls: [named] }, finish_reason: null }] });
    say(call, (part) => ({ tool_calls: [{ index, function: { arguments: part } }] }));
  }
  return meter;
}

function complete(one: Exchange, meter: UpstreamMeter): void {
  meter.see({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: usageOf(one.promptTokens, one.completionTokens) });
}

describe('the estimate of a mix of requests', () => {
  const mixes = Object.keys(models).flatMap((name) =>
    [9, 500].flatMap((size) => [0, 0.5, 1].map((agents) => [name, size, agents] as const)),
  );

  it.each(mixes)('of a model with a %s vocabulary, in events of %d characters, where the share of agents is %d', (name, size, agents) => {
    const random = randomOf(size);
    const calibration = new OfferCalibration();
    const mix = { got: 0, due: 0, left: 0, above: 0 };
    const [before, after] = [{ ...mix }, { ...mix }];
    const leave = (sum: typeof mix) => {
      const one = exchange(random, models[name]!, agents);
      const due = one.promptTokens + 3 * one.completionTokens;
      const { delivered } = metered(one, size, calibration.rates);
      const got = delivered.prompt_tokens + 3 * delivered.completion_tokens;
      sum.got += got;
      sum.due += due;
      sum.left++;
      if (got > due) sum.above++;
    };
    for (let request = 0; request < samples(600); request++) leave(before);
    for (let answers = 0; answers < samples(800); answers++) {
      const one = exchange(random, models[name]!, agents);
      const meter = metered(one, size, calibration.rates);
      complete(one, meter);
      calibration.learn(`account ${answers % 3}`, meter.counted!);
      if (answers >= ENOUGH) for (let request = 0; request < 2; request++) leave(after);
    }
    expect(before.got / before.due).toBeGreaterThan(0.5);
    expect(after.got / after.due).toBeGreaterThan(0.7);
    expect(before.above / before.left).toBeLessThan(0.05);
    expect(after.above / after.left).toBeLessThan(0.05);
  });
});

describe('the estimate of what was answered before', () => {
  it.each([
    ['more', 4],
    ['fewer', 5.12],
  ])('is never above its count, however many were learned from, where tokens are %s than usual', (_, bytesAToken) => {
    const calibration = new OfferCalibration();
    const text = 'word'.repeat(2_048);
    const of = (times: number): Exchange => {
      const tokens = Math.ceil((times * text.length) / bytesAToken);
      const request: ChatGenerationRequest = {
        operation: 'chat',
        model: 'm',
        stream: true,
        n: 1,
        messages: [said.user(text)],
      };
      return {
        request,
        answer: text.repeat(times),
        calls: [],
        promptTokens: Math.ceil(text.length / bytesAToken),
        completionTokens: tokens,
      };
    };
    const [one, later] = [of(1), of(300)];
    for (let answers = 1; answers < 200; answers++) {
      const meter = metered(one, text.length, calibration.rates);
      complete(one, meter);
      calibration.learn('one', meter.counted!);
      if (answers > 2 * ENOUGH && answers % 10 > 0) continue;
      const { promptTokens, completionTokens } = later;
      const { delivered } = metered(later, text.length, calibration.rates);
      expect(delivered.prompt_tokens).toBeLessThanOrEqual(promptTokens);
      expect(delivered.completion_tokens).toBeLessThanOrEqual(completionTokens);
      if (answers >= ENOUGH) expect(delivered.completion_tokens).toBeGreaterThan(0.95 * completionTokens);
    }
  });
});

describe('the estimate of one request', () => {
  const aTokenEach: Rates = {
    ...facts,
    learned: true,
    prompt: { ...facts.prompt, latin: 1, other: 1 },
    output: { ...facts.output, latin: 1, other: 1 },
  };
  const ceiling = { prompt: 1e6, completion: 1e6, possibleCompletion: 1e6 };
  const asking = (content: string | ContentPart[]): ChatGenerationRequest => ({
    operation: 'chat',
    model: 'm',
    stream: true,
    n: 1,
    messages: [said.user(content)],
  });
  const piece = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

  it('looks at more than the first token', () => {
    const meter = new UpstreamMeter(asking(''), 0, ceiling, aTokenEach);
    meter.see(piece(','));
    meter.see(piece(english.repeat(2)));
    expect(meter.completionTokens).toBeGreaterThan(english.length / 4.7);
    expect(meter.completionTokens).toBeLessThan((2 * english.length) / 3.5);
  });

  it('looks at reasoning, and at calls, beside an empty content', () => {
    for (const delta of [
      { content: '', reasoning_content: english },
      { content: '', tool_calls: [{ index: 0, function: { arguments: english } }] },
    ]) {
      const meter = new UpstreamMeter(asking(''), 0, ceiling, aTokenEach);
      meter.see({ choices: [{ index: 0, delta, finish_reason: null }] });
      // A text that was not looked at has one token for 6 bytes.
      expect(meter.completionTokens).toBeGreaterThan(Math.ceil(english.length / 5.5));
    }
  });

  it.each([
    // At one token for 6 bytes it had a third of what tokenizers make of base64.
    ['base64', createHash('sha512').update('1').digest('base64'), 1 / 3],
    ['Chinese', chinese, 1 / 5.2],
  ])('looks at the beginning of a long text: %s', (_, text, share) => {
    const written = Buffer.from(text.repeat(2_000));
    const request = asking('Compare.');
    const message: Message = { role: 'user', content: written.toString() };
    const all = { ...request, messages: [request.messages[0]!, message] };
    const meter = new UpstreamMeter(all, written.length, ceiling, aTokenEach);
    expect(meter.promptTokens).toBeGreaterThan(share * written.length);
    expect(meter.promptTokens).toBeLessThan(1.8 * share * written.length);
  });

  // Bytes that a token has of it in a large vocabulary and in an older one (o200k, cl100k), which hardly differ here.
  it.each([
    ['hex', 1.78, (random: () => number) => drawn(random, '0123456789abcdef')],
    ['base64', 1.39, (random) => drawn(random, `${az}${az.toUpperCase()}0123456789+/`)],
    ['base32', 1.53, (random) => drawn(random, `${az.toUpperCase()}234567`)],
    ['digits', 3, (random) => drawn(random, '0123456789')],
    ['small letters', 1.85, (random) => drawn(random, az)],
    ['large letters', 1.68, (random) => drawn(random, az.toUpperCase())],
    ['four letters', 1.94, (random) => drawn(random, 'ACGT')],
    ['groups of letters', 2.05, (random) => `${drawn(random, az).slice(0, 5)} `],
    ['marks', 1.36, (random) => drawn(random, '!#$%&*+-/<=>?@^|~')],
    ['bytes in hex', 1.43, (random) => `${drawn(random, '0123456789abcdef').slice(0, 2)} `],
    ['accents', 2.02, (random) => drawn(random, 'éèêüöäßñçøåžšč')],
  ] satisfies [string, number, (random: () => number) => string][])(
    'has at least half of the answer before any was counted, and no more than that, where it is %s',
    (_, bytesAToken, made) => {
      for (const [length, size] of [
        [200, 200],
        [3_000, 3_000],
        [3_000, 64],
      ] as const) {
        let [got, due] = [0, 0];
        for (let seed = 1; seed <= 20; seed++) {
          const random = randomOf(seed);
          let text = '';
          while (text.length < length) text += made(random);
          const meter = new UpstreamMeter(asking(''), 0, ceiling);
          for (let at = 0; at < text.length; at += size) meter.see(piece(text.slice(at, at + size)));
          got += meter.completionTokens;
          due += Buffer.byteLength(text) / bytesAToken;
        }
        expect(got / due).toBeGreaterThan(0.5);
        expect(got / due).toBeLessThan(1);
      }
    },
  );

  it('has what is known of images before any answer was counted, in a mix at least half', () => {
    const image = (detail?: string): ContentPart => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail } });
    // Tokens of images of common sizes: of OpenAI in low and high detail, of Gemini, of Claude.
    const counts = [85, 255, 258, 425, 765, 1_105, 258, 410, 1_066];
    let [got, due] = [0, 0];
    for (const [index, tokens] of counts.entries()) {
      const meter = new UpstreamMeter(asking([said.text(english), image(index === 0 ? 'low' : undefined)]), english.length, ceiling);
      for (let words = 0; words < 150; words++) meter.see(piece('word '));
      const { prompt_tokens, completion_tokens } = meter.delivered;
      expect(prompt_tokens).toBeLessThanOrEqual(Math.floor(english.length / 4.7) + tokens);
      got += prompt_tokens + 3 * completion_tokens;
      due += english.length / 4.7 + tokens + 3 * 150;
    }
    expect(got / due).toBeGreaterThan(0.5);
  });

  it('has the slowest known rate of reasoning before any answer was counted, where the model may reason unseen', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    try {
      const [some, none] = [factsOfReasoning, facts].map((rates) => new UpstreamMeter(asking(''), 0, ceiling, rates));
      now.mockReturnValue(11_000);
      for (const meter of [some!, none!]) meter.see(piece('word'));
      // 10 s at 30 tokens a second.
      expect([some!.completionTokens, none!.completionTokens]).toEqual([301, 1]);
    } finally {
      now.mockRestore();
    }
  });
});

const answer = (more: Partial<CountedAnswer> = {}): CountedAnswer => ({
  promptTokens: 100,
  completionTokens: 100,
  reasoningTokens: undefined,
  cachedTokens: 0,
  mayBeCached: false,
  prompt: { latin: 100, other: 0, toolBytes: 0, tools: 0, request: 1 },
  output: { latin: 100, other: 0, calls: 0 },
  images: 0,
  silence: 200,
  total: 2_000,
  ...more,
});

describe('what an offer’s answers teach', () => {
  it.each([
    ['says how much it was', true],
    ['does not say it', false],
  ])('is the rate of hidden reasoning, where the provider %s', (_, says) => {
    const random = randomOf(7);
    const calibration = new OfferCalibration();
    let [got, due] = [0, 0];
    for (let answers = 0; answers < 300; answers++) {
      // 60 to 100 tokens a second after 300 ms.
      const silence = 1_000 + 30_000 * random();
      const reasoning = Math.round((silence - 300) * (0.06 + 0.04 * random()));
      const visible = 50 + 400 * random();
      const { hidden, learned } = calibration.rates;
      if (learned) {
        // The client leaves in the silence, at its end, or later.
        const until = silence * (0.3 + 0.7 * random());
        got += until * hidden;
        due += Math.max(0, reasoning * ((until - 300) / (silence - 300)));
      }
      calibration.learn(
        'one',
        answer({
          completionTokens: Math.round(visible + reasoning),
          reasoningTokens: says ? reasoning : undefined,
          output: { latin: visible, other: 0, calls: 0 },
          silence,
        }),
      );
    }
    expect(got / due).toBeGreaterThan(0.5);
    expect(got / due).toBeLessThan(1);
  });

  it('gives no hidden reasoning to a model without', () => {
    const calibration = new OfferCalibration();
    for (let answers = 0; answers < 50; answers++) calibration.learn('one', answer());
    expect(calibration.rates).toMatchObject({ learned: true, hidden: 0 });
  });

  it.each([
    ['what the template adds to short prompts', { prompt: { latin: 20, other: 0, toolBytes: 0, tools: 0, request: 1 }, promptTokens: 60 }],
    ['what is around short calls', { output: { latin: 20, other: 0, calls: 1 }, completionTokens: 70 }],
  ])('is not %s, for long ones', (_, more) => {
    const calibration = new OfferCalibration();
    for (let answers = 0; answers < 100; answers++) calibration.learn(`account ${answers % 3}`, answer(more));
    const { prompt, output } = calibration.rates;
    expect(Math.max(prompt.latin, output.latin)).toBeLessThan(1.3);
  });

  it('is the tokens of an image', () => {
    const calibration = new OfferCalibration();
    for (let answers = 0; answers < 40; answers++)
      calibration.learn('one', answer({ images: 2, promptTokens: 100 + 2 * (750 + (answers % 3) * 15) }));
    expect(calibration.rates.image).toBeGreaterThan(600);
    expect(calibration.rates.image).toBeLessThanOrEqual(765);
  });

  it('counts from the twentieth answer on', () => {
    const calibration = new OfferCalibration();
    for (let answers = 1; answers < ENOUGH; answers++) calibration.learn('one', answer());
    expect(calibration.rates.learned).toBe(false);
    calibration.learn('one', answer());
    expect(calibration.rates.learned).toBe(true);
  });

  it.each([
    ['more', 1_000_000],
    ['less', 1],
  ])('cannot be made %s by the answers of one account among three, however many', (_, tokens) => {
    const calibration = new OfferCalibration();
    for (let answers = 0; answers < 40; answers++) for (const account of ['one', 'two']) calibration.learn(account, answer());
    const before = calibration.rates;
    for (let answers = 0; answers < 1_000; answers++)
      calibration.learn('wrong', answer({ promptTokens: tokens, completionTokens: tokens, silence: 1 }));
    expect(calibration.rates).toEqual(before);
  });

  it('is bounded by facts, whatever one account alone is answered', () => {
    for (const tokens of [0, 1, 1e9]) {
      const calibration = new OfferCalibration();
      for (let answers = 0; answers < 100; answers++)
        calibration.learn(`${answers}`, answer({ promptTokens: tokens, completionTokens: tokens, silence: 0, images: answers % 2 }));
      for (let answers = 0; answers < 100; answers++) calibration.learn('one', answer({ promptTokens: tokens, completionTokens: tokens }));
      const { prompt, output, image, hidden } = calibration.rates;
      for (const { latin, other } of [prompt, output]) {
        expect(Math.min(latin, other)).toBeGreaterThanOrEqual(0.4);
        expect(Math.max(latin, other)).toBeLessThanOrEqual(2.5);
      }
      expect(image).toBeLessThanOrEqual(5_000);
      expect(hidden).toBeLessThanOrEqual(1);
    }
  });
});
