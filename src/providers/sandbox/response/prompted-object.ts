import type { Message } from '../../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { messageText } from './transcript.js';

/** How many characters of a message are searched for what its author wants the object to be. */
const MAX_TEXT = 8_192;
const MAX_INSTRUCTIONS = 4;
const MAX_CANDIDATES = 6;
const MAX_KEYS = 40;

/**
 * The schema of the object that a conversation asks for in words: a JSON schema, an example, or names of keys. The
 * user's last message counts most, then the system's.
 */
export function promptedObject(question: string, messages: readonly Message[]): JsonObject | undefined {
  const instructions = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .slice(-MAX_INSTRUCTIONS)
    .reverse();
  const texts = [question, ...instructions.map((message) => messageText(message).slice(0, MAX_TEXT))];
  return first(texts, inBraces) ?? first(texts, byKeys);
}

function first(texts: readonly string[], find: (text: string) => JsonObject | undefined): JsonObject | undefined {
  for (const text of texts) {
    const found = find(text);
    if (found) return found;
  }
  return undefined;
}

/** The schema or the example that stands in the text. */
function inBraces(text: string): JsonObject | undefined {
  let from = text.indexOf('{');
  for (let tried = 0; from >= 0 && tried < MAX_CANDIDATES; tried++) {
    const end = closingBrace(text, from);
    const found = end === undefined ? undefined : schemaIn(text.slice(from, end + 1));
    if (found) return found;
    from = text.indexOf('{', from + 1);
  }
  return undefined;
}

function closingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = closingQuote(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return at;
  }
  return undefined;
}

function closingQuote(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return undefined;
}

function schemaIn(json: string): JsonObject | undefined {
  let told: unknown;
  try {
    told = JSON.parse(json);
  } catch {
    return schemaOfMembers(
      [...json.matchAll(/["']?([A-Za-z_][\w-]{0,60})["']?\??\s*:\s*([^,;}\n]{0,80})/g)].map(([, name, value]) => [
        name!,
        schemaOfWords(value!),
      ]),
    );
  }
  return isObject(told)
    ? (jsonSchemaIn(told) ?? schemaOfMembers(Object.entries(told).map(([name, value]) => [name, schemaOfExample(value)])))
    : undefined;
}

/** A JSON schema of an object, also inside of `json_schema` or `schema`. */
function jsonSchemaIn(told: JsonObject): JsonObject | undefined {
  const inner = told['json_schema'] ?? told['schema'];
  if (isObject(inner)) return jsonSchemaIn(inner);
  return isObject(told['properties']) || (told['$schema'] !== undefined && isObject(told)) ? { ...told, type: 'object' } : undefined;
}

function schemaOfMembers(members: readonly (readonly [string, JsonObject])[]): JsonObject | undefined {
  if (members.length === 0) return undefined;
  const properties = Object.fromEntries(members.slice(0, MAX_KEYS));
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function schemaOfExample(value: unknown): JsonObject {
  if (typeof value === 'string') return schemaOfWords(value);
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (Array.isArray(value))
    return { type: 'array', items: value.length > 0 ? schemaOfExample(value[0]) : { type: 'string' }, minItems: 1, maxItems: 3 };
  if (isObject(value))
    return schemaOfMembers(Object.entries(value).map(([name, one]) => [name, schemaOfExample(one)])) ?? { type: 'object' };
  return { type: 'string' };
}

/** What words say of a type: `string`, `a list of texts`, `"low" | "high"`. */
function schemaOfWords(words: string): JsonObject {
  const choices = words.split('|').map((choice) => choice.trim().replaceAll(/^["']|["']$/g, ''));
  if (choices.length > 1 && choices.every((choice) => /^[\w -]{1,40}$/.test(choice) && !TYPE.test(choice))) return { enum: choices };
  if (/\b(?:array|list|strings|numbers)\b|\[/i.test(words)) {
    return { type: 'array', items: { type: /number|integer/i.test(words) ? 'number' : 'string' }, minItems: 1, maxItems: 3 };
  }
  if (/\bbool(?:ean)?\b|^\s*(?:true|false)\b/i.test(words)) return { type: 'boolean' };
  if (/\bint(?:eger)?\b|\bwhole number\b/i.test(words)) return { type: 'integer' };
  if (/\b(?:number|float|decimal)\b/i.test(words)) return { type: 'number' };
  return { type: 'string' };
}

const TYPE = /^(?:string|number|integer|boolean|null|float|int|bool|array|object)$/i;

const NAME = '(?:`[^`\\n]{1,60}`|"[^"\\n]{1,60}"|\'[^\'\\n]{1,60}\'|[A-Za-z_][\\w-]{0,60})';
/** A name, and what may stand behind it in brackets. */
const ENTRY = `(${NAME})(?: ?\\(([^()\\n]{1,80})\\))?`;
const KEYS = new RegExp(
  `\\b(?:keys?|fields?|properties|property|attributes?|members?)\\b(?: (?:named|called|are|is|must be|should be))?[: ]{1,2}(?:exactly |only )?${ENTRY}((?:(?:, ?(?:and |or )?| and )${ENTRY}){0,${MAX_KEYS}})`,
  'gi',
);
/** Words that stand behind `keys` without being one. */
const NO_KEY =
  /^(?:in|of|for|with|and|or|that|which|to|the|a|an|from|as|below|above|are|is|must|should|only|exactly|you|it|on|like|such|value|values|names)$/i;

/** Keys that are named: `with the keys name, age (number) and "tags"`. */
function byKeys(text: string): JsonObject | undefined {
  for (const { 0: all, 1: name, 2: words, 3: more = '', index } of text.slice(0, MAX_TEXT).matchAll(KEYS)) {
    // `the key point` names no key, `with the key point` and `a key named point` do.
    const isNamed =
      more !== '' ||
      !/^\w/.test(name!) ||
      /^\w+(?::| named| called)/.test(all) ||
      /\bwith (?:\w+ ){0,3}$/.test(text.slice(Math.max(0, index - 40), index));
    if (!isNamed || NO_KEY.test(name!)) continue;
    const entries = [[name!, words] as const, ...[...more.matchAll(new RegExp(ENTRY, 'g'))].map((one) => [one[1]!, one[2]] as const)];
    const named = entries.map(
      ([key, type]) => [key.replaceAll(/^[`"']|[`"']$/g, ''), type === undefined ? typeByName(key) : schemaOfWords(type)] as const,
    );
    return schemaOfMembers(named.filter(([key]) => !/^(?:and|or)$/i.test(key)));
  }
  return undefined;
}

function typeByName(name: string): JsonObject {
  const plain = name.replaceAll(/[`"']/g, '').toLowerCase();
  if (/^(?:is|has|can|should)[_A-Z]|^(?:ok|valid|success|done|enabled|active)$/i.test(plain)) return { type: 'boolean' };
  if (/^(?:age|count|year|quantity|amount|total|number|rank|index)$|_(?:count|age|year|number)$/.test(plain)) return { type: 'integer' };
  if (/^(?:price|score|rating|confidence|temperature|latitude|longitude)$/.test(plain)) return { type: 'number' };
  if (/^(?:tags|items|list|steps|keywords|names|results|examples|ingredients|sources)$/.test(plain)) {
    return { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 };
  }
  return { type: 'string' };
}
