import { type CarriedReader, memberPath } from '../inference/carried/carried-reader.js';
import { madeFrom } from '../json/json-source.js';
import { copyMember, hasSomeText, valueAt } from '../wire/members.js';
import { report } from '../json/unread-members.js';
import type { HostedTool } from '../wire/hosted-tool.js';
import type { JsonObject } from '../wire/json-object.js';
import type { NativeRequest } from '../wire/native.js';
import type { InputItem } from '../wire/response-input.js';
import type { ResponseToolChoice } from '../wire/response-tool.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { beyondOf, loadedTools, TOOL_SEARCH } from './foreign-items.js';
import { isUnproved } from './encrypted-reasoning.js';
import { type LeaveOut, membersOf, othersOf } from './members-of.js';
import { DEFERRED, nativeInput, nativeTool } from './native-input.js';
import { type Callable, fullName, isHostedChoice } from './tools.mapping.js';

/** What providers of this format differ in, so that the gateway may leave it out for one of them. */
const apart: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'max_tokens',
  'user',
  'parallel_tool_calls',
  'reasoning_effort',
  'max_tool_calls',
]);

/** What may be asked for beside the answer where no tool is hosted; the rest is of their calls. */
const included: ReadonlySet<string> = new Set(['reasoning.encrypted_content', 'message.output_text.logprobs']);

const ofChoices: readonly string[] = ['type', 'name', 'namespace', 'server_label', 'mode', 'tools'];

/** The client's request as far as it may go on as it came. */
export function nativeRequest(
  body: CreateResponseDto,
  tools: readonly Callable[],
  hosted: readonly HostedTool[],
  carried: CarriedReader,
): NativeRequest {
  const leaveOut =
    (where: string): LeaveOut =>
    (holder, name) =>
      carried.leaveOutMember(holder, name, where);
  const native: JsonObject = {};
  const bodyOnly = new Set<string>();
  const ofBody: LeaveOut = (holder, name) => {
    const path = memberPath(holder, name, name === DEFERRED ? 'tools' : 'input');
    if (path !== undefined) report(bodyOnly, path);
  };
  if (hasSomeText(body, 'instructions')) copyMember(body, 'instructions', native);
  const input = valueAt(body, 'input');
  if (Array.isArray(input)) native['input'] = nativeInput(input as InputItem[], leaveOut('input'), ofBody);
  else copyMember(body, 'input', native);
  for (const tool of [...(body.tools ?? []), ...loadedTools(input)])
    if (tool.type === 'namespace') othersOf(tool, ['type', 'name', 'tools'], leaveOut('tools'));
  const searches = body.tools?.some(({ type }) => type === TOOL_SEARCH);
  if (tools.length + hosted.length > 0) {
    native['tools'] = madeFrom(body, ['tools'], [...tools.map((tool) => nativeTool(tool, leaveOut('tools'), searches)), ...hosted]);
    native['tool_choice'] = choiceOf(body.tool_choice);
  }
  const { reasoning, text, tool_choice: choice } = body;
  if (typeof choice === 'object' && choice) othersOf(choice, ofChoices, leaveOut('tool_choice'));
  const beyond = reasoning
    ? membersOf(reasoning, ['mode', 'context'], leaveOut('reasoning'), ['effort', 'summary', 'generate_summary'])
    : {};
  const summary = reasoning?.summary ?? reasoning?.generate_summary;
  const settings = { ...beyond, ...(summary && { summary }) };
  if (Object.keys(settings).length > 0) native['reasoning'] = settings;
  const { format } = text ? membersOf(text, ['format'], leaveOut('text'), ['verbosity']) : {};
  if (format) {
    const members = membersOf(format, ['type', 'name', 'description', 'schema', 'strict'], leaveOut('text.format'));
    native['text'] = madeFrom(body, ['text'], { format: members });
  }
  const include = body.include?.filter((name) => included.has(name) || (hosted.length > 0 && name.includes('_call'))) ?? [];
  if (include.length > 0) native['include'] = include;
  if (include.includes('message.output_text.logprobs')) Object.assign(native, membersOf(body, ['top_logprobs']));
  else if (body.top_logprobs) carried.leaveOut('top_logprobs');
  const unproved = Array.isArray(input) && (input as object[]).some(isUnproved);
  return {
    wire: 'openai-responses',
    body: native,
    apart,
    bodyOnly: [...bodyOnly],
    ...(unproved && { left: ['input.reasoning'] }),
    ...beyondOf(
      input,
      body.tools ?? [],
      Object.keys(beyond).map((name) => `reasoning.${name}`),
    ),
  };
}

function choiceOf(choice: ResponseToolChoice | null | undefined): unknown {
  if (typeof choice !== 'object' || choice === null) return choice ?? 'auto';
  if (isHostedChoice(choice)) return membersOf(choice, ['type', 'server_label', 'name']);
  return choice.type === 'allowed_tools' ? choice.mode : { type: choice.type, name: fullName(choice.name, choice.namespace) };
}
