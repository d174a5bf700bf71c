import type { Tool } from './chat-completion.js';

/** What the input of a custom tool has to look like: any text, or text of a grammar. */
export type CustomFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly grammar: { readonly definition: string; readonly syntax: 'lark' | 'regex' } };

/** A tool whose input is free text and not a JSON object, without the envelope in which each format declares it. */
export interface CustomTool {
  readonly name: string;
  readonly description?: string;
  readonly format?: CustomFormat;
}

/** The one parameter of the function that stands for a custom tool. */
export const INPUT = 'input';

/** The function that stands for a custom tool in the canonical form. A grammar is told in words. */
export function functionOf({ name, description, format }: CustomTool): Tool {
  const grammar = format?.type === 'grammar' ? format.grammar : undefined;
  const demand = grammar && `The input must match this grammar (${grammar.syntax}):\n${grammar.definition}`;
  const parameters = { type: 'object', properties: { [INPUT]: { type: 'string' } }, required: [INPUT], additionalProperties: false };
  const words = [description, demand].filter((text) => text);
  return { type: 'function', function: { name, ...(words.length > 0 && { description: words.join('\n\n') }), parameters } };
}

/** The arguments of such a function in a call with this input. */
export function argumentsOf(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}
