import { changedFrom } from '../../json/json-source.js';
import { copyMember, copyOf, copyWith, hasSomeText, hasText, type Member, putJoined, valueAt } from '../../wire/members.js';
import { argumentsObject } from '../../providers/translation/arguments-object.js';
import { dataUrlAt, putData } from '../../providers/translation/data-url.js';
import { fileAddress, fileOfPart } from '../../providers/translation/file-of-part.js';
import type { RequestRules } from '../../providers/contract/request-rules.js';
import type { ContentPart, Message, ToolCall } from '../../wire/chat-completion.js';
import { modalityOfMember } from '../../wire/media-part.js';
import { contentParts } from './content-parts.js';
import type { RequestNames } from './keyed-names.js';
import { mapped } from './tool-schema.js';

/**
 * The messages as a vendor takes them, each for itself.
 * @param functionName gives the name that a function has at the vendor
 * @returns the same array where nothing changes
 */
export function fitMessages(
  messages: readonly Message[],
  rules: RequestRules,
  names: RequestNames,
  functionName: (holder: { name: string }) => string,
): readonly Message[] {
  const fitted = mapped(messages, (message) => new MessageFit(message, rules, names, functionName).fit());
  return fitted === messages ? messages : changedFrom(messages as Message[], fitted as Message[]);
}

const canonicalFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'reasoning_content',
  'is_error',
  'cache_control',
  'prompt_cache_breakpoint',
]);

/** Whether a vendor takes a member of a message: all take the canonical ones, and this one these too. */
export function isTaken(name: string, taken: readonly string[]): boolean {
  return canonicalFields.has(name) || taken.includes(name) || modalityOfMember(name) !== undefined;
}

class MessageFit {
  #message: Message;

  constructor(
    private readonly original: Message,
    private readonly rules: RequestRules,
    private readonly names: RequestNames,
    private readonly functionName: (holder: { name: string }) => string,
  ) {
    this.#message = original;
  }

  fit(): Message {
    const { rules } = this;
    const { role, tool_calls: calls } = this.original;
    if (rules.developer === false && role === 'developer') this.#change().role = 'system';
    if (rules.messageFields) this.#fitFields(rules.messageFields);
    if (rules.messageNames !== undefined && hasText(this.original, 'name')) this.#fitName(rules.messageNames);
    if (rules.callIds) {
      const id = this.names.id(this.original, 'tool_call_id', rules.callIds);
      if (id !== undefined) this.#change().tool_call_id = id;
    }
    if (calls?.length) {
      const fitted = mapped(calls, (call) => this.#call(call));
      if (fitted !== calls) this.#change().tool_calls = fitted as ToolCall[];
    }
    const parts = contentParts(this.original);
    if (rules.noContent !== undefined && valueAt(this.original, 'content') == null) this.#change().content = rules.noContent;
    else if (rules.plainText?.includes(this.#message.role) && parts?.every(({ type }) => type === 'text')) {
      putJoined(
        this.#change(),
        'content',
        parts.map((part): Member => [part, 'text']),
        '\n\n',
      );
    } else if ((rules.fileNames || rules.files || rules.fileUrls) && parts) {
      const fitted = mapped(parts, (part) => this.#file(part));
      if (fitted !== parts) this.#change().content = fitted as ContentPart[];
    }
    return this.#message;
  }

  #change(): Message {
    if (this.#message === this.original) this.#message = copyOf(this.original);
    return this.#message;
  }

  #fitFields(taken: readonly string[]): void {
    for (const name in this.original) {
      if (isTaken(name, taken)) continue;
      const message = this.#change();
      if (name === 'refusal' && hasSomeText(message, name)) {
        const said = partsOf(message);
        if (said.length === 0) copyMember(message, name, message, 'content');
        else message.content = [...said, textPart(message, name)];
      }
      message[name] = undefined;
    }
  }

  #fitName(rule: NonNullable<RequestRules['messageNames']>): void {
    if (rule === false) this.#change().name = undefined;
    else {
      const name = this.names.name(this.original, 'name', rule);
      if (name !== undefined) this.#change().name = name;
    }
  }

  #file(part: ContentPart): ContentPart {
    const { files, fileNames, fileUrls } = this.rules;
    const file: { filename?: string } | undefined = part.type === files?.type ? undefined : fileOfPart(part);
    const address = file && fileAddress(file);
    if (!file || (address === undefined && !hasText(file, 'file_data'))) return part;
    if (!files) {
      const changes = {
        ...(fileNames && address === undefined && !hasSomeText(file, 'filename') && { filename: 'file' }),
        ...(fileUrls && address !== undefined && { file_url: undefined, [fileUrls]: address }),
      };
      if (part.type === 'file' && Object.keys(changes).length === 0) return part;
      return { ...(part.type === 'file' && part), type: 'file', file: copyWith(file, changes) };
    }
    const fitted: ContentPart = { type: files.type };
    if (address !== undefined) fitted[files.type] = files.bare ? { url: address } : address;
    else if (files.bare) putData((fitted[files.type] = {}), 'url', dataUrlAt(file, 'file_data')!);
    else copyMember(file, 'file_data', fitted, files.type);
    if (hasSomeText(file, 'filename')) copyMember(file, 'filename', fitted, files.name);
    return fitted;
  }

  #call(call: ToolCall): ToolCall {
    const { callIds, functionNames, argumentsObject: asObject } = this.rules;
    const id = callIds && this.names.id(call, 'id', callIds);
    const name = functionNames && hasText(call.function, 'name') ? this.functionName(call.function) : undefined;
    const text = asObject && hasText(call.function, 'arguments') ? fittedArguments(call.function) : undefined;
    const changesFunction = text !== undefined || (name !== undefined && name !== call.function.name);
    if (id === undefined && !changesFunction) return call;
    const called = changesFunction
      ? copyWith(call.function, { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) })
      : call.function;
    return copyWith(call, { ...(id !== undefined && { id }), function: called });
  }
}

/** @returns the arguments in an object of their own where they are none; undefined where nothing changes */
export function fittedArguments(called: Pick<ToolCall['function'], 'arguments'>): string | undefined {
  const text = called.arguments;
  if (text === '' || (text.startsWith('{') && argumentsObject(text))) return undefined;
  const value = argumentsObject(text);
  if (value) return undefined;
  return /^\s*null\s*$/.test(text) ? '{}' : JSON.stringify({ arguments: text });
}

/**
 * The messages in an order that a vendor takes.
 * @returns the same array where nothing changes
 */
export function orderMessages(messages: readonly Message[], rules: RequestRules): readonly Message[] {
  let ordered = messages;
  if (rules.silentAssistant === false && !ordered.every(saysSomething)) ordered = ordered.filter(saysSomething);
  if (rules.system) ordered = withOneSystem(ordered, rules.system);
  if (rules.oneCall) ordered = withOneCall(ordered);
  if (rules.alternate) ordered = joinedTurns(ordered);
  if (rules.behindResult !== undefined) ordered = withTurnsBehindResults(ordered, rules.behindResult);
  ordered = withUser(ordered, rules);
  const last = ordered.at(-1);
  if (last?.role === 'assistant' && !last.tool_calls?.length) {
    if (rules.assistantLast === 'prefix' && last['prefix'] !== true) ordered = [...ordered.slice(0, -1), copyWith(last, { prefix: true })];
    else if (rules.assistantLast === 'trimmed') ordered = [...ordered.slice(0, -1), trimmed(last)];
  }
  return ordered === messages ? messages : changedFrom(messages as Message[], ordered as Message[]);
}

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

const saysSomething = (message: Message): boolean =>
  message.role !== 'assistant' || Boolean(message.tool_calls?.length) || partsOf(message).length > 0;

function withOneSystem(messages: readonly Message[], role: 'one' | 'user'): readonly Message[] {
  const last = messages.findLastIndex(isSystem);
  if (last < 0 || (last === 0 && role === 'one')) return messages;
  const one = joined(messages.filter(isSystem));
  return [role === 'user' ? copyWith(one, { role }) : one, ...messages.filter((message) => !isSystem(message))];
}

/** Each call of a message is one of its own with its result. Results of no call follow. */
function withOneCall(messages: readonly Message[]): readonly Message[] {
  const callsOf = ({ role, tool_calls: calls }: Message): readonly ToolCall[] => (role === 'assistant' && calls) || [];
  if (!messages.some((message) => callsOf(message).length > 1)) return messages;
  const sent: Message[] = [];
  for (let n = 0; n < messages.length; n++) {
    const message = messages[n]!;
    const calls = callsOf(message);
    const results: Message[] = [];
    while (calls.length > 1 && messages[n + 1]?.role === 'tool') results.push(messages[++n]!);
    const byCall = Map.groupBy(results, ({ tool_call_id: id }) => id);
    sent.push(calls.length > 1 ? copyWith(message, { tool_calls: [calls[0]!] }) : message);
    for (const [at, call] of calls.entries()) {
      if (at > 0) sent.push({ role: 'assistant', content: null, tool_calls: [call] });
      sent.push(...(byCall.get(call.id) ?? []));
      byCall.delete(call.id);
    }
    sent.push(...[...byCall.values()].flat());
  }
  return sent;
}

/** Neighbours of the same role become one, but results of tools and calls. */
function joinedTurns(messages: readonly Message[]): readonly Message[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    const last = turn?.at(-1);
    const joins = last?.role === message.role && message.role !== 'tool' && !isSystem(message) && !last.tool_calls?.length;
    if (joins) turn!.push(message);
    else turns.push([message]);
  }
  return turns.length === messages.length ? messages : turns.map(joined);
}

function withTurnsBehindResults(messages: readonly Message[], text: string): readonly Message[] {
  const turns = messages.flatMap((message, n): Message[] =>
    message.role === 'user' && messages[n - 1]?.role === 'tool' ? [{ role: 'assistant', content: text }, message] : [message],
  );
  return turns.length === messages.length ? messages : turns;
}

function withUser(messages: readonly Message[], { userFirst, someUser }: RequestRules): readonly Message[] {
  const first = messages.find((message) => !isSystem(message));
  const isFirst = first !== undefined && first.role !== 'assistant';
  const content = (isFirst ? undefined : userFirst) ?? (messages.some(({ role }) => role === 'user') ? undefined : someUser);
  if (content === undefined) return messages;
  const at = first ? messages.indexOf(first) : messages.length;
  return [...messages.slice(0, at), { role: 'user', content }, ...messages.slice(at)];
}

/** One message with the content of all. Calls have the last of them alone. */
function joined(messages: readonly Message[]): Message {
  if (messages.length === 1) return messages[0]!;
  const all = copyOf(messages[0]!);
  for (const message of messages) for (const name of Object.keys(message)) if (!Object.hasOwn(all, name)) copyMember(message, name, all);
  for (const name of ['content', 'reasoning_content']) {
    const texts = messages.filter((message) => hasSomeText(message, name)).map((message): Member => [message, name]);
    if (texts.length > 1) putJoined(all, name, texts, '\n\n');
    else if (texts.length === 1) copyMember(texts[0]![0], name, all);
  }
  if (messages.some((message) => contentParts(message))) all.content = messages.flatMap(partsOf);
  const blocks = messages.flatMap(({ thinking_blocks }) => (Array.isArray(thinking_blocks) ? (thinking_blocks as unknown[]) : []));
  if (blocks.length > 0) all.thinking_blocks = blocks;
  const { tool_calls: calls } = messages.at(-1)!;
  if (calls) all.tool_calls = calls;
  return all;
}

function partsOf(message: Message): ContentPart[] {
  const parts = contentParts(message);
  if (parts) return [...parts];
  return hasSomeText(message, 'content') ? [textPart(message, 'content')] : [];
}

function textPart(message: Message, name: string): ContentPart {
  const part: ContentPart = { type: 'text' };
  copyMember(message, name, part, 'text');
  return part;
}

function trimmed(message: Message): Message {
  const parts = contentParts(message);
  const holder = parts ? parts.at(-1) : message;
  const name = parts ? 'text' : 'content';
  if (!holder || !hasText(holder, name)) return message;
  const text = (holder as Record<string, string>)[name]!;
  const trimmedText = text.trimEnd();
  if (trimmedText.length === text.length) return message;
  const changed = copyWith(holder as Message, { [name]: trimmedText });
  return parts ? copyWith(message, { content: [...parts.slice(0, -1), changed as unknown as ContentPart] }) : changed;
}
