import { posix } from 'node:path';
import type { Tool } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';
import { shellCommand } from './shell-command.js';
import type { Step } from './steps.js';
import { memberName, members, type ToolKind } from './tool-kind.js';
import { allows, isRequired, namePartsOf, propertiesOf } from './tool-schema.js';
import { setMember } from '../../../wire/own-members.js';

/** Arguments that are known before an instance of the schema is made, by the names of the tool's parameters. */
export type KnownValues = Readonly<Record<string, unknown>>;

/** What a step gives to the first parameter whose name fits. */
interface Given {
  readonly name: RegExp;
  readonly value: string;
  readonly isPath?: boolean;
  /** Whether it is nothing but a default, which a parameter gets that must have a value. */
  readonly byDefault?: boolean;
}

const path = (name: RegExp, value: string, byDefault = false): Given => ({ name, value, isPath: true, byDefault });

function givenBy(step: Step, kind: ToolKind): Given[] {
  if (kind === 'shell') return [{ name: members.command, value: shellCommand(step) }];
  switch (step.kind) {
    case 'list': {
      const glob = { name: members.glob, value: step.glob ?? '*', byDefault: step.glob === undefined };
      return [glob, path(members.directory, step.directory ?? '.', step.directory === undefined)];
    }
    case 'search':
      return [{ name: members.pattern, value: step.pattern }, path(members.directory, step.directory ?? '.', step.directory === undefined)];
    case 'edit':
      return [path(members.file, step.file), { name: members.before, value: step.from }, { name: members.after, value: step.to }];
    case 'write':
      return [path(members.file, step.file), ...(step.text === undefined ? [] : [{ name: members.content, value: step.text }])];
    case 'read':
      return [path(members.file, step.file), path(members.files, step.file)];
    default:
      return [];
  }
}

/** The arguments with which a tool does a step. */
export function valuesOfStep(step: Step, tool: Tool, kind: ToolKind, workingDirectory: string | undefined): KnownValues {
  const values: Record<string, unknown> = {};
  const explained: Given = { name: /^(?:description|explanation|reason|justification|purpose)$/, value: step.said, byDefault: true };
  const left = [...givenBy(step, kind), explained];
  for (const [name, schema] of Object.entries(propertiesOf(tool))) {
    const found = left.findIndex((given) => given.name.test(memberName(name)) && (!given.byDefault || isRequired(tool, name)));
    if (found < 0) continue;
    const [given] = left.splice(found, 1) as [Given];
    const isAbsolute = given.isPath && workingDirectory !== undefined && wantsAbsolute(name, schema);
    const value = isAbsolute ? posix.resolve(workingDirectory, given.value) : given.value;
    setMember(values, name, allows(schema, 'string') ? value : kind === 'shell' ? ['bash', '-lc', value] : [value]);
  }
  return values;
}

const wantsAbsolute = (name: string, schema: unknown) =>
  /absolute/i.test(`${name} ${isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''}`);

/** What a question says of the parameters of any tool: choices by their word, numbers beside their name. */
export function valuesSaid(question: string, tool: Tool): KnownValues {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(propertiesOf(tool))) {
    const value = isObject(schema) ? valueSaid(question, memberName(name), name, schema) : undefined;
    if (value !== undefined) setMember(values, name, value);
  }
  return values;
}

function valueSaid(question: string, plainName: string, name: string, schema: Readonly<Record<string, unknown>>): unknown {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.find((choice) => typeof choice === 'string' && hasWord(question, choice));
  if (allows(schema, 'integer') || allows(schema, 'number')) return allows(schema, 'string') ? undefined : numberOf(question, name);
  if (!allows(schema, 'string')) return undefined;
  if (/^(?:url|uri|link|address|website)$/.test(plainName)) return /\bhttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,;!?)]/i.exec(question)?.[0];
  if (/email|^(?:to|recipient)$/.test(plainName)) return /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/.exec(question)?.[0];
  if (/^(?:expression|formula|equation|calculation)$/.test(plainName)) return /[\d(][\d\s()+\-*/^%.,]{0,100}[\d)]/.exec(question)?.[0];
  if (/^(?:query|q|question|prompt|input|search|searchquery|searchterm|topic|task|request)$/.test(plainName)) return question || undefined;
  return undefined;
}

/** A number beside the words of a name: `3 days`, `limit 5`, `limit of 5`. */
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
