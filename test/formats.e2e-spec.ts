import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { chatFormat } from './formats/chat-format.js';
import { answeredCells, brokenCells, cells, formats, reasonFor, reasons, wires } from './formats/matrix.js';
import { type Format, official, type Question, type Said } from './formats/format.js';
import { messagesFormat } from './formats/messages-format.js';
import { responsesFormat } from './formats/responses-format.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { json, type Vendor } from './vendors/vendor.js';

useLoopbackOnly();

type AnyVendor = Vendor<string | Buffer>;

const modes = [false, true];
const matrix = formats.flatMap((format) =>
  wires.flatMap((wire) => cells.flatMap((cell) => modes.map((stream) => ({ format, wire, cell, stream })))),
);

describe('The table of formats and wires', () => {
  it('has no reason without a cell, and none that another one hides', () => {
    const given = new Set(matrix.map(({ format, wire, cell, stream }) => reasonFor(format.name, wire.name, cell, stream)));
    expect(reasons.filter((reason) => !given.has(reason))).toEqual([]);
  });
});

const upstream = useUpstream();
const gateway = useGateway(() => {
  const providers = wires.flatMap(({ vendor }, index) => (vendor ? [[`wire-${index}`, entryOf(vendor)]] : []));
  return Gateway.start({ providers: Object.fromEntries(providers) as object });
});

/** What a vendor's own entry leaves out: that its model sees and thinks, and answers completions too; and a model for embeddings. */
function entryOf({ name, provider, model }: AnyVendor): object {
  const { models, ...entry } = provider(upstream.origin) as { models: Record<string, { capabilities?: object }> };
  const own = models[model]!;
  const chat = { ...own, capabilities: { ...own.capabilities, vision: true, completion: false }, completions_via_chat: true };
  const embedding = { [EMBEDDING]: { context_length: 1_000, embeddings: { dimensions: 2 } } };
  return { ...entry, models: { [model]: chat, ...(name === 'chat-completions' && embedding) } };
}

const EMBEDDING = 'vendor-embedding';
const embeddings = { object: 'list', data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [0.5, 0.25] })) };
const ODD_CUTS = Array.from({ length: 30 }, (_, index) => 37 * index);

/** Where the embeddings of two texts come from, and how many numbers they have. */
const embeddingModels: Readonly<Record<string, { model: string; text: string }>> = {
  'chat-completions': { model: EMBEDDING, text: '2 2' },
  'the sandbox': { model: 'sandbox-embedding', text: '256 256' },
};

async function ask(format: Format, model: string, question: Question, stream: boolean): Promise<Said> {
  const body = format.body(model, question, stream);
  if (!stream) return format.whole((await gateway.post(format.path, body).expect(200)).body);
  const open = await gateway.stream(format.path, body);
  const text = await open.text();
  expect([open.status, text]).toEqual([200, text]);
  return format.streamed(text);
}

async function refused(format: Format, model: string, question: Question, stream: boolean, status: number): Promise<unknown> {
  return format.code((await gateway.post(format.path, format.body(model, question, stream)).expect(status)).body);
}

function wholeReply(format: Format, vendor: AnyVendor, cell: string, stream: boolean): Reply & { body: string | Buffer } {
  if (format.name === 'embeddings') return { headers: json, body: JSON.stringify(embeddings) };
  const answerOf = (format.name === 'messages' && vendor.messages) || vendor.answer;
  const { headers, body } = answerOf((answeredCells[cell] ?? answeredCells['text']!).answer, stream);
  return { headers, body, ...(stream && { cuts: ODD_CUTS }) };
}

async function answers(format: Format, vendor: AnyVendor, cell: string, stream: boolean): Promise<void> {
  const { question, asked, said } = answeredCells[cell]!;
  upstream.replies(() => wholeReply(format, vendor, cell, stream));
  const isEmbedding = format.name === 'embeddings';
  const got = await ask(format, isEmbedding ? EMBEDDING : vendor.model, question, stream);
  expect(got).toMatchObject(isEmbedding ? { text: embeddingModels[vendor.name]!.text } : said);
  if (!isEmbedding) expect(vendor.asked(upstream.requests.at(-1)!)).toMatchObject({ stream, ...asked });
}

async function breaks(format: Format, vendor: AnyVendor, cell: string, stream: boolean): Promise<void> {
  const { question } = answeredCells['text']!;
  const model = format.name === 'embeddings' ? EMBEDDING : vendor.model;
  const { body, ...reply } = wholeReply(format, vendor, 'text', stream);
  if (cell === 'error') {
    upstream.replies({ status: 400, headers: json, body: '{"error":{"message":"no","code":400}}' });
    expect(await refused(format, model, question, stream, 400)).toBe('invalid_request');
  } else if (cell === 'cut') {
    const part = Buffer.from(body).subarray(0, Math.floor(body.length * 0.7));
    upstream.replies(stream ? { ...reply, body: part } : { ...reply, body, after: part.length, ending: 'reset' });
    if (stream) expect((await ask(format, model, question, true)).end).toBe('failed');
    else expect(await refused(format, model, question, false, 502)).toBe('upstream_error');
  } else {
    upstream.replies({ ...reply, body, after: Math.floor(body.length * 0.7), ending: stream ? 'stall' : 'silent' });
    const coming = upstream.nextRequest();
    const leaving = new AbortController();
    const asking = gateway.stream(format.path, format.body(model, question, stream), { signal: leaving.signal }).catch(() => undefined);
    const { closed } = await coming;
    if (stream) await asking;
    leaving.abort();
    await closed;
    await asking;
  }
}

async function sandbox(format: Format, cell: string, stream: boolean): Promise<void> {
  const own = embeddingModels['the sandbox']!;
  const isEmbedding = format.name === 'embeddings';
  if (cell in answeredCells) {
    const { question, sandbox: { model, said } } = answeredCells[cell]!; // prettier-ignore
    if (typeof said === 'string') expect(await refused(format, model, question, stream, 400)).toBe(said);
    else
      expect(await ask(format, isEmbedding ? own.model : model, question, stream)).toMatchObject(isEmbedding ? { text: own.text } : said);
    return;
  }
  const { question } = answeredCells['text']!;
  const model = brokenCells[cell as keyof typeof brokenCells];
  if (cell === 'error') {
    if (isEmbedding) expect(await refused(format, 'sandbox-chat', question, stream, 400)).toBe('unsupported_model');
    else expect(await refused(format, model, question, stream, 503)).toBe('model_overloaded');
  } else if (cell === 'cut') {
    if (stream) expect((await ask(format, model, question, true)).end).toBe('failed');
    else expect(await refused(format, model, question, false, 502)).toBe('upstream_error');
  } else {
    const leaving = new AbortController();
    const asking = gateway.stream(format.path, format.body(model, question, stream), { signal: leaving.signal }).catch(() => undefined);
    if (stream) await asking;
    leaving.abort();
    await asking;
    // No hold is left.
    await gateway.balance();
  }
}

describe.each(formats)('$name', (format) => {
  describe.each(wires)('at $name', ({ name, vendor }) => {
    const tried = cells.flatMap((cell) =>
      modes.filter((stream) => !reasonFor(format.name, name, cell, stream)).map((stream) => [cell, stream] as const),
    );
    if (tried.length > 0)
      it.each(tried)('%s (stream: %s)', async (cell, stream) => {
        if (!vendor) return sandbox(format, cell, stream);
        return cell in answeredCells ? answers(format, vendor, cell, stream) : breaks(format, vendor, cell, stream);
      });
  });
});

describe.each([chatFormat, responsesFormat, messagesFormat])('sandbox-agent in $name', (format) => {
  it.each(modes)('has room for what coding agents ask for (stream: %s)', async (stream) => {
    const question = { text: `${'The kitchen is warm. '.repeat(5_000)} Say hello.`, limit: 32_000 };
    const { text, end } = await ask(format, 'sandbox-agent', question, stream);
    expect([/\S/.test(text), end]).toEqual([true, 'stop']);
  });
});

describe('The answers of all cells', () => {
  it('are of the official packages’ types', async () => {
    expect(await official.problems()).toEqual([]);
  });
});
