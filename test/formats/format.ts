import { OfficialTypes } from '../support/official-types.js';
import type { Call } from '../vendors/vendor.js';

/** What a cell of the matrix asks for, in no format. */
export interface Question {
  readonly text: string;
  /** Base64 of a PNG. */
  readonly image?: string;
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly parameters: object }[];
  /** Calls of the turn before, and their results as JSON. */
  readonly done?: readonly (Call & { readonly result: string })[];
  readonly schema?: Record<string, unknown>;
  /** Whether the answer is to be an object of any schema. */
  readonly object?: true;
  readonly stop?: string;
  readonly effort?: 'low';
  /** Tokens of the answer at most. */
  readonly limit?: number;
}

/** How an answer ends: `failed` is an answer that broke off. */
export type End = 'stop' | 'length' | 'tools' | 'filter' | 'failed';

/** What an answer says, in no format. */
export interface Said {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly Pick<Call, 'name' | 'arguments'>[];
  readonly end: End;
}

/** Tokens of an answer at most, where the question does not say. */
export const LIMIT = 2_000;

/** All answers that the formats have read of which OpenAI publishes no schema. */
export const official = new OfficialTypes();

/** A format in which clients ask. */
export interface Format {
  readonly name: string;
  /** Below `/v1/`. */
  readonly path: string;
  /** Whether answers can be streamed. */
  readonly streams?: false;
  readonly body: (model: string, question: Question, stream: boolean) => object;
  /** @throws where the answer is not in the form of the format; the official types are compared with its members later */
  readonly whole: (body: unknown) => Said;
  /** The same for a stream, whose events must come in the order that the format demands. */
  readonly streamed: (text: string) => Said;
  /** The gateway's code in the body of an error. */
  readonly code: (body: unknown) => unknown;
}

export function parsed(json: string): object {
  return JSON.parse(json) as object;
}

/** The code in the error envelope of OpenAI's formats. */
export function envelopeCode(body: unknown): unknown {
  return (body as { error: { code: unknown } }).error.code;
}

/** The data of the events of a stream without names. A last event with an error ends it, and no `[DONE]` follows. */
export function dataEvents(text: string): { readonly events: readonly object[]; readonly failed: boolean } {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  const data = blocks.map((block) => {
    expect(block).toMatch(/^data: /);
    return block.slice('data: '.length);
  });
  const last = data.pop();
  const failed = last !== '[DONE]';
  if (failed) expect(envelopeCode(parsed(last!))).toEqual(expect.any(String));
  expect(data).not.toContain('[DONE]');
  return { events: data.map(parsed), failed };
}
