import { getEventListeners } from 'node:events';
import { longForm } from '../../common/testing/long-form.js';
import { testCall } from './call.js';
import { type CollectedAnswer, collect, readAll } from './collect.js';
import type { ProviderFixture } from './provider-suite.js';
import { expectedChoices, type SuiteContext, withStream } from './suite-context.js';

/** Responses of one upstream that are read at the same time. */
const CONCURRENCY = 16;

/** Bytes between the cuts of one response, beside which several events stand whole. */
const BETWEEN_CUTS = 512;

/** Bytes from one offset that nothing stands at to the next that is tried. */
const STRIDE = longForm ? 1 : 32;

/** Milliseconds for a test that reads a response very often, on a busy machine. */
const PATIENCE = longForm ? 600_000 : 60_000;

/** A response is the same whether it is streamed or not, and however its bytes are cut and framed. */
export function describeResponses(context: SuiteContext): void {
  describe('answers', () => {
    it('are shown with characters of several bytes', () => {
      const streams = context.suite.fixtures.map(({ stream }) => stream?.toString('latin1') ?? '');
      expect(streams.some((stream) => /[\x80-\xff]/.test(stream))).toBe(true);
    });

    for (const fixture of context.suite.fixtures) describeFixture(context, fixture);
  });
}

function describeFixture(context: SuiteContext, { name, request, whole, stream, expect: expected }: ProviderFixture): void {
  const check = (answer: CollectedAnswer) => {
    expect(answer.choices).toEqual(expectedChoices(expected));
    expect(answer.usage).toEqual(expected.usage);
    const { usage } = answer;
    if (usage) expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  };
  const json = (body: Buffer) => context.reply(false, body);
  const sse = (body: Buffer) => context.reply(true, body);
  const unstreamed = withStream(request, false);
  const streamed = withStream(request, true);

  const ids = expected.choices.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => `"${call.id}"`));
  for (const [mode, body, asked, reply] of [
    ['whole', whole, unstreamed, json],
    ['streamed', stream, streamed, sse],
  ] as const) {
    const bare = body && withoutTexts(body, ids);
    if (!bare || bare.equals(body) || (mode === 'streamed' && context.suite.frameEnds)) continue;
    context.test(`${name}: ${mode}, with ids of calls that are made where the vendor leaves them empty`, async () => {
      const { choices } = await context.answer(asked, reply(bare));
      const made = choices.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
      expect([made.length, made.every(Boolean)]).toEqual([new Set(made).size, true]);
    });
  }

  if (whole) {
    context.test(`${name}: whole, in one chunk`, async () => {
      context.upstream.replies(json(whole));
      const chunks = await readAll(context.provider.generate(unstreamed, testCall()));
      expect(chunks).toHaveLength(1);
      check(collect(chunks));
    });

    context.test(`${name}: whole, although a stream was asked for`, async () => check(await context.answer(streamed, json(whole))));
  }
  if (!stream) return;

  context.test(`${name}: streamed, leaving nothing behind`, async () => {
    const call = testCall();
    check(await context.answer(streamed, sse(stream), call));
    expect(call.flow.listeners).toBe(0);
    expect(getEventListeners(call.signal, 'abort')).toHaveLength(0);
  });

  context.test(`${name}: streamed, although nobody asked for it`, async () => check(await context.answer(unstreamed, sse(stream))));

  context.test(
    `${name}: cut in two anywhere`,
    async () => {
      const rounds = roundsOf(offsetsOf(stream, context.frameEnds(stream)));
      let next = 0;
      context.upstream.replies(() => ({ ...sse(stream), cuts: rounds[next++]! }));
      const read = async () => {
        while (next < rounds.length) check(collect(await readAll(context.provider.generate(streamed, testCall()))));
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, read));
    },
    PATIENCE,
  );

  context.test(
    `${name}: byte by byte`,
    async () => {
      check(await context.answer(streamed, { ...sse(stream), cuts: [...stream.keys()] }));
    },
    PATIENCE,
  );

  context.test(`${name}: frame by frame`, async () => {
    check(await context.answer(streamed, { ...sse(stream), cuts: context.frameEnds(stream) }));
  });

  if (!context.eventStream) return;
  const framings: [string, (text: string) => string][] = [
    ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['CR', (text) => text.replaceAll('\n', '\r')],
    ['comments', (text) => `: first\n\n${text.replaceAll('\n\n', '\n\n: keep-alive\n\n:\n')}`],
    ['a byte order mark', (text) => `\u{FEFF}${text}`],
    ['no space after the colons', (text) => text.replaceAll(/^(data|event): (?! )/gm, '$1:')],
  ];
  for (const [framing, frame] of framings) {
    context.test(`${name}: with ${framing}`, async () => {
      const body = Buffer.from(frame(stream.toString()));
      check(await context.answer(streamed, sse(body)));
      check(await context.answer(streamed, { ...sse(body), cuts: everySeventh(body) }));
    });
  }
}

/** Offsets within and beside characters of several bytes, the ends of lines and of frames, and some between them. */
function offsetsOf(stream: Buffer, frameEnds: readonly number[]): number[] {
  const beside = new Set(frameEnds.flatMap((end) => [end - 2, end - 1, end, end + 1]));
  return [...stream.keys()].filter((offset) => {
    const [before = 0, after = 0] = stream.subarray(Math.max(offset - 1, 0), offset + 1);
    return offset > 0 && (offset % STRIDE === 0 || beside.has(offset) || after > 0x7f || before === 0x0a);
  });
}

/** As few responses as cut a stream at all of these offsets. */
function roundsOf(offsets: readonly number[]): number[][] {
  const rounds: number[][] = [];
  for (const offset of offsets) {
    const round = rounds.find((cuts) => offset - cuts.at(-1)! >= BETWEEN_CUTS);
    if (round) round.push(offset);
    else rounds.push([offset]);
  }
  return rounds;
}

/** The same bytes with empty texts in the place of these JSON texts. */
function withoutTexts(body: Buffer, texts: readonly string[]): Buffer {
  return Buffer.from(
    texts.reduce((left, text) => left.replaceAll(text, '""'), body.toString('latin1')),
    'latin1',
  );
}

function everySeventh(body: Buffer): number[] {
  return [...body.keys()].filter((offset) => offset % 7 === 0);
}
