import type { Tool } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';
import { setMember } from '../../../wire/own-members.js';
import { allows, namePartsOf, propertiesOf } from './tool-schema.js';

/** Arguments that are known before an instance of the schema is made, by the names of the tool's parameters. */
export type KnownValues = Readonly<Record<string, unknown>>;

/** What a question says of the parameters of any tool: choices by their word, numbers next to their name. */
export function valuesSaid(question: string, tool: Tool): KnownValues {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(propertiesOf(tool))) {
    const value = isObject(schema) ? valueSaid(question, name, schema) : undefined;
    if (value !== undefined) setMember(values, name, value);
  }
  return values;
}

function valueSaid(question: string, name: string, schema: Readonly<Record<string, unknown>>): unknown {
  const plainName = name.toLowerCase().replaceAll(/[_-]/g, '');
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.find((choice) => typeof choice === 'string' && hasWord(question, choice));
  if (/^(?:cmd|commands?)$/.test(plainName)) return allows(schema, 'string') ? 'pwd' : ['pwd'];
  if (allows(schema, 'integer') || allows(schema, 'number')) return allows(schema, 'string') ? undefined : numberOf(question, name);
  if (!allows(schema, 'string')) return undefined;
  if (/^(?:url|uri|link|address|website)$/.test(plainName)) return /\bhttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,;!?)]/i.exec(question)?.[0];
  if (/email|^(?:to|recipient)$/.test(plainName)) return /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/.exec(question)?.[0];
  if (/^(?:expression|formula|equation|calculation)$/.test(plainName)) return /[\d(][\d\s()+\-*/^%.,]{0,100}[\d)]/.exec(question)?.[0];
  if (/^(?:query|q|question|prompt|input|search|searchquery|searchterm|topic|task|request)$/.test(plainName)) return question || undefined;
  return undefined;
}

/** A number next to the words of a name: `3 days`, `limit 5`, `limit of 5`. */
function numberOf(question: string, name: string): number | undefined {
  const words = namePartsOf(name).join('[ _-]');
  if (words === '') return undefined;
  const number = '(-?\\d{1,15}(?:\\.\\d{1,9})?)';
  const found = new RegExp(
    `(?<![\\d.])${number} ${words.replace(/s$/, '')}s?\\b|\\b${words}\\b(?:(?: of| is| to|:| =|=)?) ?${number}`,
    'i',
  ).exec(question);
  const said = found?.[1] ?? found?.[2];
  return said === undefined ? undefined : Number(said);
}

function hasWord(question: string, word: string): boolean {
  const at = question.toLowerCase().indexOf(word.toLowerCase());
  return (
    at >= 0 && word !== '' && !/[\p{L}\p{N}]/u.test(question.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(question.charAt(at + word.length))
  );
}
