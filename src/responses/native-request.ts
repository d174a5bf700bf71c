import { madeFrom } from '../json/json-source.js';
import { copyMember, hasSomeText, valueAt } from '../json/long-text.js';
import type { HostedTool } from '../wire/hosted-tool.js';
import type { JsonObject } from '../wire/json-object.js';
import type { NativeRequest } from '../wire/native.js';
import type { InputItem } from '../wire/response-input.js';
import type { ResponseToolChoice } from '../wire/response-tool.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { beyondOf, TOOL_SEARCH } from './foreign-items.js';
import { membersOf, nativeInput, nativeTool } from './native-input.js';
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

/** The client's request as far as it may go on as it came. */
export function nativeRequest(body: CreateResponseDto, tools: readonly Callable[], hosted: readonly HostedTool[]): NativeRequest {
  const native: JsonObject = {};
  if (hasSomeText(body, 'instructions')) copyMember(body, 'instructions', native);
  const input = valueAt(body, 'input');
  if (Array.isArray(input)) native['input'] = nativeInput(input as InputItem[]);
  else copyMember(body, 'input', native);
  const searches = body.tools?.some(({ type }) => type === TOOL_SEARCH);
  if (tools.length + hosted.length > 0) {
    native['tools'] = madeFrom(body, ['tools'], [...tools.map((tool) => nativeTool(tool, searches)), ...hosted]);
    native['tool_choice'] = choiceOf(body.tool_choice);
  }
  const summary = body.reasoning?.summary ?? body.reasoning?.generate_summary;
  if (summary) native['reasoning'] = { summary };
  const { format } = body.text ?? {};
  if (format) native['text'] = madeFrom(body, ['text'], { format: membersOf(format, ['type', 'name', 'description', 'schema', 'strict']) });
  const include = body.include?.filter((name) => included.has(name) || (hosted.length > 0 && name.includes('_call'))) ?? [];
  if (include.length > 0) native['include'] = include;
  if (body.top_logprobs != null && include.includes('message.output_text.logprobs')) native['top_logprobs'] = body.top_logprobs;
  return { wire: 'openai-responses', body: native, apart, ...beyondOf(input, body.tools ?? []) };
}

function choiceOf(choice: ResponseToolChoice | null | undefined): unknown {
  if (typeof choice !== 'object' || choice === null) return choice ?? 'auto';
  if (isHostedChoice(choice)) return membersOf(choice, ['type', 'server_label', 'name']);
  return choice.type === 'allowed_tools' ? choice.mode : { type: choice.type, name: fullName(choice.name, choice.namespace) };
}
