import type { Config } from '../../src/config/config.schema.js';
import type { RecordedRequest } from '../../src/providers/testing/loopback-upstream.js';
import { said } from '../../src/wire/testing/said.js';
import type { DeepPartial } from '../support/create-test-app.js';

/** A tool call as the vendor makes it, and as it comes back in the assistant's turn. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

export interface Answer {
  /** Reasoning that comes first. */
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** Where the answer is too long, or where the vendor's filter ends it. */
  readonly end?: 'length' | 'refused';
}

/** What a request says, whatever the vendor's form of it. */
export interface Asked {
  readonly stream: boolean;
  readonly tools: readonly { readonly name: string; readonly parameters: unknown }[];
  /** Of the assistant's turns. */
  readonly calls: readonly Call[];
  /** Of the tools, in the order of their coming. */
  readonly results: readonly { readonly id: string; readonly value: unknown }[];
  /** Of the answer, where it has to follow one. */
  readonly schema: object | undefined;
  /** Texts before which the answer ends. */
  readonly stop: readonly string[];
  /** Base64 of the images of the conversation. */
  readonly images: readonly string[];
}

/**
 * One vendor's wire form, written down from its documentation: how it answers, and how it is asked.
 * @template Body of an answer; a buffer where its form is not text
 */
export interface Vendor<Body extends string | Buffer = string> {
  readonly name: string;
  readonly model: string;
  /** @param origin of the loopback */
  readonly provider: (origin: string) => NonNullable<DeepPartial<Config>['providers']>[string];
  readonly answer: (answer: Answer, stream: boolean) => { readonly headers: Record<string, string>; readonly body: Body };
  /** How it answers what is in Anthropic's format, where it takes that as it came. */
  readonly messages?: Vendor<Body>['answer'];
  /** Fails the test where the request is not in the vendor's form. */
  readonly asked: (request: RecordedRequest) => Asked;
}

export const json = { 'content-type': 'application/json' };
export const sse = { 'content-type': 'text/event-stream; charset=utf-8' };

/** Base64 of a `data:` URL. */
export function dataOf(url: string): string {
  return url.slice(url.indexOf(',') + 1);
}

/** A tool call in the form of OpenAI's chats, which other vendors have taken over. */
export interface WireCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export const wireCall = ({ id, name, arguments: given }: Call): WireCall => said.call(id, name, JSON.stringify(given));

interface WireMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly image_url?: { readonly url: string } }[];
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

/** What a conversation in that form says. */
export const toldIn = (messages: readonly WireMessage[]): Pick<Asked, 'calls' | 'results' | 'images'> => ({
  calls: messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ id, function: { name, arguments: given } }) => ({ id, name, arguments: JSON.parse(given) as object })),
  ),
  results: messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id, content }) => ({ id: tool_call_id!, value: JSON.parse(content as string) as unknown })),
  images: messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as readonly { image_url?: { url: string } }[]) : []))
    .flatMap(({ image_url }) => (image_url ? [dataOf(image_url.url)] : [])),
});

/** A text in pieces of a few characters, of which some are in the middle of a word. */
export function piecesOf(text: string): string[] {
  return text.match(/[^]{1,7}/gu) ?? [];
}
