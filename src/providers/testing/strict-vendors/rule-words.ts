/** An object of a body. */
export type Members = Readonly<Record<string, unknown>>;

/** What a word is asked about beside the value at the rule's place. */
interface Around {
  readonly body: Members;
  readonly rule: Members;
  /** Of the value, with its indexes: `messages[0].content`. */
  readonly place: string;
}

export const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.filter(isObject) : []);
const isText = (value: unknown): value is string => typeof value === 'string';
const there = (value: unknown): boolean => value !== undefined && value !== null;
const empty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);
const blank = (value: unknown): boolean => empty(isText(value) ? value.trim() : value);
const filled = (value: unknown): boolean => there(value) && !empty(value);

/** The member at a path of names; undefined where there is none. */
export const memberAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);

/** `path=value` */
function holds(body: Members, condition: string): boolean {
  const [path = '', value] = condition.split('=');
  return String(memberAt(body, path)) === value;
}

/** Each object of a value, itself too, with its place. */
export function* objectsOf(value: unknown, place = ''): Generator<readonly [string, Members]> {
  if (Array.isArray(value)) for (const [index, one] of value.entries()) yield* objectsOf(one, `${place}[${index}]`);
  if (!isObject(value)) return;
  yield [place, value];
  for (const [name, one] of Object.entries(value)) yield* objectsOf(one, `${place}.${name}`);
}

/** Each schema of a JSON Schema, itself too. */
function* schemasOf(schema: unknown): Generator<Members> {
  if (Array.isArray(schema)) for (const one of schema) yield* schemasOf(one);
  if (!isObject(schema)) return;
  yield schema;
  for (const [word, value] of Object.entries(schema)) {
    if (['properties', 'patternProperties', '$defs', 'definitions'].includes(word)) yield* schemasOf(Object.values(value as Members));
    else if (!['default', 'examples', 'const', 'enum'].includes(word)) yield* schemasOf(value);
  }
}

const isClosed = ({ properties, required, additionalProperties }: Members): boolean =>
  !isObject(properties) ||
  (additionalProperties === false && Object.keys(properties).every((name) => Array.isArray(required) && required.includes(name)));

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text || '{}'));
  } catch {
    return false;
  }
}

/** How the blocks of a wire name a call, a result and reasoning. */
const blocks: Readonly<
  Record<string, { call: (block: Members) => unknown; result: (block: Members) => unknown; thought: (block: Members) => boolean }>
> = {
  anthropic: {
    call: ({ type, id }) => (type === 'tool_use' ? id : undefined),
    result: ({ type, tool_use_id: id }) => (type === 'tool_result' ? id : undefined),
    thought: ({ type }) => type === 'thinking' || type === 'redacted_thinking',
  },
  bedrock: {
    call: (block) => memberAt(block, 'toolUse.toolUseId'),
    result: (block) => memberAt(block, 'toolResult.toolUseId'),
    thought: ({ reasoningContent }) => there(reasoningContent),
  },
};

interface Turn {
  readonly calls: readonly unknown[];
  readonly results: readonly unknown[];
}

/** The messages of a wire with the ids of their calls and results; those are one turn that the vendor reads as one. */
const turnsOf: Readonly<Record<string, (messages: readonly Members[]) => readonly Turn[] | undefined>> = {
  chat: (messages) =>
    merged(messages, ({ role }) => role === 'tool').map((turn) => ({
      calls: turn.flatMap(({ tool_calls: calls }) => list(calls).map(({ id }) => id)),
      results: turn.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id),
    })),
  anthropic: (messages) =>
    turnsOfBlocks(
      merged(messages, () => true),
      'anthropic',
    ),
  bedrock: (messages) =>
    turnsOfBlocks(
      messages.map((one) => [one]),
      'bedrock',
    ),
  // Calls are known by their order.
  gemini: (contents) =>
    contents.some(
      ({ role, parts }, index) => role === 'model' && list(parts).some(isCall) && (contents[index - 1]?.['role'] ?? role) === role,
    )
      ? undefined
      : contents.map(({ parts }) => ({
          calls: [...list(parts).filter(isCall).keys()],
          results: [
            ...list(parts)
              .filter(({ functionResponse }) => functionResponse)
              .keys(),
          ],
        })),
  responses: (items) => [
    { calls: ids(items.filter(({ type }) => !isOutput(type))), results: [] },
    { calls: [], results: ids(items.filter(({ type }) => isOutput(type))) },
  ],
};

const isCall = ({ functionCall }: Members): boolean => there(functionCall);
const isOutput = (type: unknown): boolean => isText(type) && type.endsWith('_output');
const ids = (items: readonly Members[]): unknown[] => items.map(({ call_id: id }) => id).filter(there);

/** Neighbours of one role are one turn where `merges` says so. */
function merged(messages: readonly Members[], merges: (message: Members) => boolean): Members[][] {
  const turns: Members[][] = [];
  for (const message of messages) {
    const before = turns.at(-1);
    if (before && before[0]?.['role'] === message['role'] && merges(message)) before.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** @returns undefined where something stands before a result */
function turnsOfBlocks(turns: readonly (readonly Members[])[], wire: string): Turn[] | undefined {
  const { call, result } = blocks[wire]!;
  const all = turns.map((turn) => turn.flatMap(({ content }) => (isText(content) ? [{}] : list(content))));
  const late = all.some((turn) => turn.findLastIndex((one) => there(result(one))) >= turn.filter((one) => there(result(one))).length);
  return late ? undefined : all.map((turn) => ({ calls: turn.map(call).filter(there), results: turn.map(result).filter(there) }));
}

function arePaired(turns: readonly Turn[] | undefined): boolean {
  const sorted = (some: readonly unknown[] = []) => some.map(String).toSorted().join();
  return Boolean(
    turns?.every(
      ({ calls, results }, index) =>
        new Set(calls).size === calls.length && sorted(calls) === sorted(turns[index + 1]?.results) && (index > 0 || results.length === 0),
    ),
  );
}

const isSystem = ({ role }: Members): boolean => role === 'system' || role === 'developer';

/** `assistant(prefix=true)`: the role, and a member that it has then. */
function hasRole(message: Members, wanted: string): boolean {
  const [, role, name = '', value] = /^(\w+)(?:\((\w+)=(\w+)\))?$/.exec(wanted) ?? [];
  return message['role'] === role && (!name || String(message[name]) === value);
}

/** Words about a list of messages, items or tools. */
const listWords: Readonly<Record<string, (items: readonly Members[], argument: never, around: Around) => boolean>> = {
  uniqueBy(items, path: string) {
    const names = items.map((one) => memberAt(one, path)).filter(there);
    return new Set(names).size === names.length;
  },
  firstRole: ([first], roles: string[]) => !first || roles.some((role) => hasRole(first, role)),
  lastRole: (items, roles: string[]) => items.length === 0 || roles.some((role) => hasRole(items.at(-1)!, role)),
  systemFirst: (items, how: string) =>
    !items.some((one, index) => isSystem(one) && index > 0 && (how === 'one' || !items.slice(0, index).every(isSystem))),
  alternates(items, how: unknown) {
    const sides = (
      how === 'chat'
        ? merged(items.slice(items.findIndex((one) => !isSystem(one))), ({ role }) => role === 'tool')
        : items.map((one) => [one])
    ).map(([one]) => (how === 'chat' && one?.['role'] === 'tool' ? 'user' : one?.['role']));
    return sides.every((side, index) => side !== sides[index - 1]) && (how !== 'chat' || sides[0] === 'user');
  },
  mistralOrder: (items) =>
    items.every(({ role }, index) => {
      const before = items[index - 1]?.['role'];
      return (
        before === undefined ||
        !(
          {
            system: before !== 'system',
            user: before === 'tool',
            tool: before !== 'assistant' && before !== 'tool',
            assistant: before === 'assistant',
          }[String(role)] ?? false
        )
      );
    }),
  toolPairs: (items, wire: string, { body }) => there(body['previous_response_id']) || arePaired(turnsOf[wire]!(items)),
  jsonWord: (items, condition: string, { body }) => !holds(body, condition) || /json/i.test(JSON.stringify(items)),
  lastAssistantNoTrailingSpace(items) {
    const { role, content } = items.at(-1) ?? {};
    const text = isText(content) ? content : list(content).at(-1)?.['text'];
    return role !== 'assistant' || !isText(text) || !/\s$/.test(text);
  },
  thinkingFirst(items, how: unknown, { body }) {
    const { call, result, thought } = blocks[how === 'bedrock' ? 'bedrock' : 'anthropic']!;
    const { thinking, reasoning_config: config } = (how === 'bedrock' ? (body['additionalModelRequestFields'] ?? {}) : body) as Members;
    const last = items.at(-1);
    const inLoop = last?.['role'] === 'assistant' || list(last?.['content']).some((one) => there(result(one)));
    const turn = list(items.findLast(({ role }) => role === 'assistant')?.['content']);
    return memberAt(thinking ?? config, 'type') !== 'enabled' || !inLoop || !turn.some((one) => there(call(one))) || thought(turn[0]!);
  },
  thoughtSignatures(items) {
    const asks = ({ role, parts }: Members) => role === 'user' && !list(parts).some(({ functionResponse }) => functionResponse);
    return items
      .slice(items.findLastIndex(asks) + 1)
      .map(({ parts }) => list(parts).find(isCall))
      .every((call) => !call || filled(call['thoughtSignature']));
  },
  toolConfigIfToolBlocks: (items, _yes, { body }) =>
    there(body['toolConfig']) || !items.some(({ content }) => list(content).some(({ toolUse, toolResult }) => toolUse ?? toolResult)),
  documentNeedsText: (content) => !content.some(({ document }) => document) || content.some(({ text }) => isText(text)),
};

/** Words about a value at a place. */
const valueWords: Readonly<Record<string, (value: unknown, argument: never, around: Around) => boolean>> = {
  pattern: (value, pattern: string) => !isText(value) || new RegExp(pattern).test(value),
  minLength: (value, length: number) => !isText(value) || Array.from(value).length >= length,
  maxLength: (value, length: number) => !isText(value) || Array.from(value).length <= length,
  minItems: (value, count: number) => !Array.isArray(value) || value.length >= count,
  maxItems: (value, count: number) => !Array.isArray(value) || value.length <= count,
  minimum: (value, least: number) => typeof value !== 'number' || value >= least,
  maximum: (value, most: number) => typeof value !== 'number' || value <= most,
  type: (value, type: string) => (type === 'object' ? isObject(value) : type === 'array' ? Array.isArray(value) : typeof value === type),
  oneOf: (value, values: unknown[]) => values.includes(value),
  absent: () => false,
  notNull: (value) => value !== null,
  notBlank: (value, _yes, { body, rule, place }) =>
    !blank(value) ||
    (there(rule['exceptLastRole']) &&
      place.startsWith(`messages[${list(body['messages']).length - 1}]`) &&
      list(body['messages']).at(-1)?.['role'] === rule['exceptLastRole']),
  required: (value, names: string[]) => isObject(value) && names.every((name) => filled(value[name])),
  anyOfKeys: (value, names: string[]) =>
    isObject(value) && names.some((name) => there(value[name]) && (!Array.isArray(value[name]) || filled(value[name]))),
  noKeys: (value, names: string[]) => !isObject(value) || !names.some((name) => name in value),
  noKeyDeep: (value, name: string) => [...objectsOf(value)].every(([, one]) => !(name in one)),
  needs: (value, name: string, { body, rule: { except } }) => filled(body[name]) || (Array.isArray(except) && except.includes(value)),
  needsTrue: (value, name: string, { body }) => body[name] === true || empty(value) || (isObject(value) && Object.keys(value).length === 0),
  notWith: (_value, name: string, { body }) => !there(body[name]),
  with: (_value, { path, values }: { path: string; values: unknown[] }, { body }) => values.includes(memberAt(body, path)),
  equalsIf: (value, { value: wanted, if: condition }: { value: unknown; if: string }, { body }) =>
    !holds(body, condition) || value === wanted,
  oneOfIf: (value, { values, if: condition }: { values: unknown[]; if: string }, { body }) =>
    !holds(body, condition) || values.includes(value),
  notEqualIf: (value, { value: refused, ifPresent }: { value: unknown; ifPresent: string }, { body }) =>
    value !== refused || !filled(body[ifPresent]),
  budgetBelow: (value, name: string, { body }) => {
    const budget = memberAt(value, 'budget_tokens');
    return typeof budget === 'number' && budget >= 1024 && budget < Number(body[name]);
  },
  schemaRoot: (value, type: string) => memberAt(value, 'type') === type,
  schemaArraysHaveItems: (value) =>
    [...schemasOf(value)].every(({ type, items, prefixItems }) => type !== 'array' || there(items ?? prefixItems)),
  strictSchema: (value) => [...schemasOf(value)].every(isClosed),
  dataTypes: (value, types: string[]) => !isText(value) || !value.startsWith('data:') || types.includes(/^data:([^;,]*)/.exec(value)![1]!),
  jsonObjectText: (value) => (isText(value) ? isJsonObject(value) : isObject(value)),
  contentOrCalls: (value) =>
    filled(memberAt(value, 'tool_calls')) || (there(memberAt(value, 'content')) && !blank(memberAt(value, 'content'))),
  contentPresent: (value) => isText(memberAt(value, 'content')) || filled(memberAt(value, 'content')),
};

/** Words that look at null too; for the others null is as good as absent. */
const aboutNull = new Set(['notNull', 'type']);

/** What changes another word, or is looked at elsewhere. */
const notAsked = new Set(['exceptLastRole', 'except', 'models', 'maxCount', 'template']);

/** Whether what a rule says holds of the value at one of its places. */
export function ruleHolds(value: unknown, around: Around): boolean {
  return Object.entries(around.rule).every(([word, argument]) => {
    if (notAsked.has(word) || (value === null && !aboutNull.has(word))) return true;
    if (word in listWords) return !Array.isArray(value) || listWords[word]!(list(value), argument as never, around);
    if (word in valueWords) return valueWords[word]!(value, argument as never, around);
    throw new Error(`no such word in a rule: ${word}`);
  });
}
