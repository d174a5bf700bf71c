import type * as z from 'zod';
import { didYouMean } from './nearest.js';
import { type Path, type Shape, shapeAt } from './schema-shape.js';
import { StartError } from './start-error.js';
import { ownOf } from '../wire/own-members.js';

/** All problems of the configuration, one line each. They never show a value, which may be a secret. */
export class ConfigError extends StartError {
  override name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.length === 1 ? `Configuration: ${problems[0]}` : ['The configuration cannot be used:', ...problems].join('\n  '));
  }
}

/** Tells where a value came from: a place in the file, or the name of an environment variable. */
export type Locate = (path: Path, part: 'key' | 'value') => string;

/**
 * Describes the issues that the validation found.
 * @param input the validated value
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], shape: Shape, input: unknown, locate: Locate): string[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(
        (key) => `${locate([...path, key], 'key')}: ${dotted([...path, key])} is unknown${suggestion(key, shapeAt(shape, path))}`,
      );
    return [`${locate(path, issue.code === 'invalid_key' ? 'key' : 'value')}: ${dotted(path)} ${problemOf(issue, valueAt(input, path))}`];
  });
}

export function dotted(path: Path): string {
  return path.join('.') || 'the configuration';
}

export function suggestion(key: string, shape: Shape | undefined): string {
  return suggestionAmong(key, shape?.kind === 'section' ? Object.keys(shape.fields) : []);
}

export function suggestionAmong(word: string, known: readonly string[]): string {
  return didYouMean(word, known) || (known.length > 0 ? `; known here: ${known.join(', ')}` : '');
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is missing' : `must be ${ownOf(words, issue.expected) ?? issue.expected}, not ${kindOf(value)}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must be at least ${issue.minimum}${issue.origin === 'string' ? ' characters long' : ''}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}${didYouMean(String(value), issue.values.map(String))}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : `must be a valid ${issue.format.toUpperCase()}${schemeHint(value)}`;
    case 'invalid_key':
      return 'is not a valid name';
    default:
      return value === undefined ? 'is missing' : issue.message;
  }
}

/** What to do about an address without `http://`. */
export function schemeHint(value: unknown): string {
  return typeof value === 'string' && withoutScheme.test(value) ? '; add http:// or https:// before it' : '';
}

/** A host name or address, with or without port and path, and with no scheme: `localhost:8000` parses as a URL, too. */
const withoutScheme = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d+)?(\/[^\s]*)?$/i;

const words: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'text',
  array: 'a list',
  object: 'a section',
  record: 'a section',
};

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction';
  return { string: 'text', boolean: 'true or false', object: 'a section' }[typeof value as string] ?? typeof value;
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? ownOf(at as Record<string, unknown>, name) : undefined),
    input,
  );
}
