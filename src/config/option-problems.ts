import { isObject } from '../wire/json-object.js';
import { coercedOptions } from './coerced-options.js';
import { dotted, type Locate, suggestionAmong } from './config-problems.js';
import { declaredOptions, textsOf } from './declared-options.js';
import { type OptionsIssue, validatedOptions } from './options-schema.js';
import { ownOf } from '../wire/own-members.js';

/** Shorter texts would be found inside ordinary words of a message. */
const MIN_VALUE = 3;

/** What the schemas of the types find wrong with the `options` of the entries, without a value of them. */
export function optionProblems(providers: unknown, locate: Locate): string[] {
  if (!isObject(providers)) return [];
  return Object.entries(providers).flatMap(([id, entry]) => {
    const { schema, jsonSchema } = (isObject(entry) && declaredOptions(entry['type'])) || {};
    const options = isObject(entry) ? (entry['options'] ?? {}) : {};
    if (!schema || !isObject(options)) return [];
    const at = ['providers', id, 'options'];
    try {
      const { issues = [] } = validatedOptions(schema, options);
      return issues.flatMap((issue) => described(issue, at, jsonSchema, options, locate));
    } catch (error) {
      return [`${locate(at, 'value')}: ${dotted(at)}: ${withoutValues(error instanceof Error ? error.message : String(error), options)}`];
    }
  });
}

/** Turns texts into numbers and booleans where the schema of the type wants these. */
export function coerceOptions(providers: Record<string, unknown>): void {
  for (const entry of Object.values(providers)) {
    if (!isObject(entry) || !isObject(entry['options'])) continue;
    const { jsonSchema } = declaredOptions(entry['type']) ?? {};
    if (jsonSchema) entry['options'] = coercedOptions(entry['options'], jsonSchema);
  }
}

function described(
  { message, path = [], code, keys }: OptionsIssue,
  above: readonly string[],
  jsonSchema: unknown,
  options: unknown,
  locate: Locate,
): string[] {
  const below = path.map((part) => String(typeof part === 'object' ? part.key : part));
  const at = [...above, ...below];
  if (code !== 'unrecognized_keys' || !Array.isArray(keys))
    return [`${locate(at, 'value')}: ${dotted(at)}: ${withoutValues(message.split('\n', 1)[0]!, options)}`];
  const known = below.reduce<unknown>((inner, name) => ownOf(propertiesOf(inner), name), jsonSchema);
  return keys.map((key) => {
    const unknown = [...at, String(key)];
    return `${locate(unknown, 'key')}: ${dotted(unknown)} is unknown${suggestionAmong(String(key), Object.keys(propertiesOf(known)))}`;
  });
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  return isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
}

/** The options may hold secrets, and some libraries quote what they refuse. */
function withoutValues(message: string, options: unknown): string {
  return textsOf(options)
    .filter((value) => value.length >= MIN_VALUE)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, '…'), message);
}
