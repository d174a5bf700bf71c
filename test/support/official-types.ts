import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The types of the official packages, by what an answer is. */
const types = {
  response: 'Response',
  'event of a response': 'ResponseEvent',
  'items of a response': 'Responses.ResponseItemList',
  message: 'Anthropic.Message',
  'event of a message': "MessageEvent | { type: 'ping' }",
  'count of tokens': 'Anthropic.MessageTokensCount',
  'error of messages': 'MessagesError',
  'list of models in Anthropic’s form':
    '{ data: Anthropic.ModelInfo[]; has_more: boolean; first_id: string | null; last_id: string | null }',
  embeddings: 'OpenAI.CreateEmbeddingResponse',
} as const;

/**
 * The types with what OpenAI's own answers have beyond its package, or as null, and without what the package adds; and
 * with what the gateway adds to Anthropic's.
 */
const HEAD = `
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { Responses } from 'openai/resources/responses/responses';
type Changed<Own, Change> = Omit<Own, keyof Change> & Change;
type Item<Own = Responses.ResponseOutputItem> = Own extends { type: 'custom_tool_call' } ? Changed<Own, { status: string }> : Own;
type Response = Changed<
  Omit<Responses.Response, 'output_text'>,
  { usage: Responses.ResponseUsage | null; user: string | null; store: boolean; output: Item[] }
>;
type Logprob = Responses.ResponseOutputText.Logprob;
type ResponseEvent<Own = Responses.ResponseStreamEvent> =
  Own extends { response: unknown } ? Changed<Own, { response: Response }>
  : Own extends { item: unknown } ? Changed<Own, { item: Item }>
  : Own extends { logprobs: unknown } ? Changed<Own, { logprobs: Logprob[] }>
  : Own extends { type: 'response.function_call_arguments.done' } ? Changed<Own, { name: string }>
  : Own;
type Usage = Changed<Anthropic.MessageDeltaUsage, Anthropic.Usage>;
type MessageEvent<Own = Anthropic.RawMessageStreamEvent> = Own extends { type: 'message_delta' } ? Changed<Own, { usage: Usage }> : Own;
type MessagesError<Own = Anthropic.ErrorObject> =
  Own extends unknown ? Changed<Anthropic.ErrorResponse, { error: Changed<Own, { details: { error_code: string } }> }> : never;
export {};
`.trim();

const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', '--pretty', 'false'];

/** Texts of which many differ in nothing else. */
const ofTexts = /"(model|delta|text|thinking|partial_json|arguments|input)":"(?:[^"\\]|\\.)*"/g;

/** Answers whose members the compiler compares with those of the official packages: which there are, and their types. */
export class OfficialTypes {
  readonly #answers = new Map<string, string>();

  add(type: keyof typeof types, answer: unknown): void {
    const json = JSON.stringify(answer);
    const alike = `${type} ${json.replace(ofTexts, '"$1"').replace(/[\d.]+|[\da-f-]{36}/g, '0')}`;
    if (!this.#answers.has(alike)) this.#answers.set(alike, `export const a${this.#answers.size}: ${types[type]} = ${json};`);
  }

  /** @returns what the compiler says; empty where all answers fit */
  async problems(): Promise<string[]> {
    if (this.#answers.size === 0) throw new Error('there are no answers');
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-types-'));
    try {
      const lines = [...HEAD.split('\n'), ...this.#answers.values()];
      await symlink(resolve('node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'answers.ts'), lines.join('\n'));
      return (await compiled(folder)).map((problem) => {
        const line = /^answers\.ts\((\d+),/.exec(problem)?.[1];
        return line ? `${lines[Number(line) - 1]!.slice(0, 200)}\n  ${problem}` : problem;
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

function compiled(cwd: string): Promise<string[]> {
  return new Promise((done, failed) => {
    execFile(resolve('node_modules/.bin/tsc'), [...OPTIONS, 'answers.ts'], { cwd, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error && stdout === '') failed(new Error(`tsc: ${error.message} ${stderr}`));
      else done(stdout.split(/\n(?=\S)/).filter((line) => line !== ''));
    });
  });
}
