import { anthropicVendor } from '../vendors/anthropic-vendor.js';
import { bedrockVendor } from '../vendors/bedrock-vendor.js';
import { chatCompletionsVendor } from '../vendors/chat-completions-vendor.js';
import { cohereVendor } from '../vendors/cohere-vendor.js';
import { geminiVendor } from '../vendors/gemini-vendor.js';
import { ollamaVendor } from '../vendors/ollama-vendor.js';
import type { Answer, Asked, Call, Vendor } from '../vendors/vendor.js';
import { chatFormat } from './chat-format.js';
import { completionsFormat } from './completions-format.js';
import { embeddingsFormat } from './embeddings-format.js';
import type { Format, Question, Said } from './format.js';
import { messagesFormat } from './messages-format.js';
import { responsesFormat } from './responses-format.js';

export const formats: readonly Format[] = [chatFormat, completionsFormat, embeddingsFormat, responsesFormat, messagesFormat];

const vendors: readonly Vendor<string | Buffer>[] = [
  chatCompletionsVendor,
  anthropicVendor,
  geminiVendor,
  ollamaVendor,
  cohereVendor,
  bedrockVendor,
];

/** What answers: a vendor at a loopback address, or the sandbox in the process. */
export const wires: readonly { readonly name: string; readonly vendor?: Vendor<string | Buffer> }[] = [
  ...vendors.map((vendor) => ({ name: vendor.name, vendor })),
  { name: 'the sandbox' },
];

const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ name: 'read_file', description: 'Reads a file', parameters: path }];
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const calls: readonly Call[] = [
  { id: 'call_1', name: 'read_file', arguments: { path: 'colours.txt' } },
  { id: 'call_2', name: 'read_file', arguments: { path: 'forms.txt' } },
];
/** As the sandbox plays it. */
const scripted = calls.map(({ name, arguments: given }) => `call ${name} ${JSON.stringify(given)}`);
const READ = scripted[0]!;
const READ_BOTH = scripted.join('\n');
const results = ['{"colour":"red"}', '{"form":"round"}'];
/** The vendor has not seen them before: some want more back with their own calls. */
const earlier = calls.map((call) => ({ ...call, id: `earlier_${call.id}` }));
const done = (count: number) => earlier.slice(0, count).map((call, index) => ({ ...call, result: results[index]! }));
const read = (count: number) => done(count).map(({ id, result }) => ({ id, value: JSON.parse(result) as unknown }));

/** A cell in which an answer comes. */
interface AnsweredCell {
  readonly question: Question;
  readonly answer: Answer;
  /** What the vendor must have been asked. */
  readonly asked?: Partial<Asked>;
  /** What the client must get, of what it gets. */
  readonly said: Partial<Said>;
  /** The model of the sandbox, and what it says; a text is the code of its refusal. */
  readonly sandbox: { readonly model: string; readonly said: Partial<Said> | string };
}

const SOME = expect.stringMatching(/\S/) as unknown as string;
const greeting: Question = { text: 'Hello?' };
const text = 'Jedna 🌦 "dvě"\n\ntři.';

const answered = {
  text: {
    question: greeting,
    answer: { text },
    said: { text, thought: '', calls: [], end: 'stop' },
    sandbox: { model: 'sandbox-omni', said: { text: SOME, calls: [] } },
  },
  tools: {
    question: { text: READ, tools },
    answer: { calls: calls.slice(0, 1) },
    asked: { tools: [{ name: 'read_file', parameters: path }], calls: [], results: [] },
    said: { calls: [{ name: 'read_file', arguments: { path: 'colours.txt' } }], end: 'tools' },
    sandbox: {
      model: 'sandbox-agent',
      said: { calls: [{ name: 'read_file', arguments: { path: 'colours.txt' } }], end: 'tools' },
    },
  },
  'a result of a tool': {
    question: { text: READ, tools, done: done(1) },
    answer: { text },
    asked: { calls: earlier.slice(0, 1), results: read(1) },
    said: { text, calls: [], end: 'stop' },
    sandbox: { model: 'sandbox-agent', said: { text: SOME, calls: [], end: 'stop' } },
  },
  'parallel tools': {
    question: { text: READ_BOTH, tools },
    answer: { calls },
    said: { calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })), end: 'tools' },
    sandbox: {
      model: 'sandbox-agent',
      said: { calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })), end: 'tools' },
    },
  },
  'results of parallel tools': {
    question: { text: READ_BOTH, tools, done: done(2) },
    answer: { text },
    asked: { calls: earlier, results: read(2) },
    said: { text, calls: [], end: 'stop' },
    sandbox: { model: 'sandbox-agent', said: { text: SOME, calls: [], end: 'stop' } },
  },
  images: {
    question: { text: 'What is this?', image: IMAGE },
    answer: { text },
    asked: { images: [IMAGE] },
    said: { text, end: 'stop' },
    sandbox: { model: 'sandbox-vision', said: { text: expect.stringMatching(/png/) as unknown as string } },
  },
  reasoning: {
    question: { text: 'What is six times seven?', effort: 'low' },
    answer: { thought: 'Šest krát sedem.', text: '42' },
    said: { thought: 'Šest krát sedem.', text: '42', end: 'stop' },
    sandbox: { model: 'sandbox-reasoning', said: { thought: SOME, text: SOME } },
  },
  'structured output': {
    question: { text: 'Where is it?', schema },
    answer: { text: '{"city":"Oslo"}' },
    asked: { schema: expect.objectContaining({ properties: schema.properties }) as object },
    said: { text: '{"city":"Oslo"}', end: 'stop' },
    sandbox: { model: 'sandbox-chat', said: { text: expect.stringMatching(/^\{\s*"city"/) as unknown as string } },
  },
  'an object of no schema': {
    question: { text: 'Where is it? Answer in JSON with the keys "city" and "country".', object: true, limit: 40 },
    answer: { text: '{"city":"Oslo"}' },
    said: { text: '{"city":"Oslo"}', end: 'stop' },
    sandbox: {
      model: 'sandbox-agent',
      said: { text: expect.stringMatching(/^\{\s*"city"[^]*"country"[^]*\}$/) as unknown as string, end: 'stop' },
    },
  },
  stop: {
    question: { text: 'Hello?', stop: 'e' },
    answer: { text: 'H' },
    asked: { stop: ['e'] },
    said: { text: 'H', end: 'stop' },
    sandbox: { model: 'sandbox-omni', said: { text: expect.stringMatching(/^[^e]*$/) as unknown as string, end: 'stop' } },
  },
  length: {
    question: { text: 'Tell me all of it.', limit: 3 },
    answer: { text: 'Jedna', end: 'length' },
    said: { text: 'Jedna', end: 'length' },
    sandbox: { model: 'sandbox-omni', said: { text: SOME, end: 'length' } },
  },
  refusal: {
    question: greeting,
    answer: { text: 'First you ', end: 'refused' },
    said: { text: 'First you ', end: 'filter' },
    sandbox: { model: 'sandbox-refused', said: 'content_policy_violation' },
  },
} satisfies Record<string, AnsweredCell>;

export const answeredCells: Readonly<Record<string, AnsweredCell>> = answered;

/** Cells in which no whole answer comes: the provider breaks off, the client leaves, or the provider refuses. */
export const brokenCells = { cut: 'sandbox-cut', cancel: 'sandbox-stall', error: 'sandbox-overloaded' } as const;

export const cells: readonly string[] = [...Object.keys(answered), ...Object.keys(brokenCells)];

/** Why a cell has no test. Each field is matched by its whole name; absent: all. */
interface Reason {
  readonly format?: RegExp;
  readonly wire?: RegExp;
  readonly cell?: RegExp;
  readonly stream?: boolean;
  readonly why: string;
}

export const reasons: readonly Reason[] = [
  {
    format: /completions/,
    cell: /tools|a result of a tool|parallel tools|results of parallel tools|images|reasoning|structured output|an object of no schema/,
    why: 'the legacy format has a prompt and a text, and nothing else',
  },
  { format: /embeddings/, stream: true, why: 'embeddings are not streamed' },
  {
    format: /embeddings/,
    cell: new RegExp(cells.filter((cell) => !/^(text|cut|cancel|error)$/.test(cell)).join('|')),
    why: 'embeddings have numbers, and nothing else',
  },
  { format: /embeddings/, wire: /Anthropic/, why: 'the vendor has no embeddings' },
  {
    format: /embeddings/,
    wire: /Gemini|Ollama|Cohere|Bedrock/,
    why: 'each has another address and form, which the contract suite of its provider shows (describe-embeddings.ts)',
  },
  { format: /embeddings/, wire: /the sandbox/, cell: /cut|cancel/, why: 'embeddings come in the turn in which they are asked for' },
  { format: /messages/, cell: /an object of no schema/, why: 'the format has objects of a schema alone' },
  { format: /responses/, cell: /stop/, why: 'the format has no stop sequences' },
  { wire: /Cohere/, cell: /refusal/, why: 'the vendor ends a filtered answer with an error (src/providers/cohere/translator.spec.ts)' },
  { wire: /Ollama/, cell: /refusal/, why: 'the server has no filter' },
];

export function reasonFor(format: string, wire: string, cell: string, stream: boolean): Reason | undefined {
  const fits = (name: string, pattern?: RegExp) => !pattern || new RegExp(`^(${pattern.source})$`).test(name);
  return reasons.find(
    (one) => fits(format, one.format) && fits(wire, one.wire) && fits(cell, one.cell) && (one.stream ?? stream) === stream,
  );
}
