import { ApiError } from '../common/api-error.js';
import { hasSomeText } from '../wire/members.js';
import { isAccountId } from '../providers/contract/extra-parameters.js';
import { callOfTool, undatedTool } from '../providers/contract/hosted-callers.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import type { HostedTool } from '../wire/hosted-tool.js';
import type { InputItem } from '../wire/response-input.js';
import type { ResponseTool } from '../wire/response-tool.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { type CallIds, callIdOf, foreignItem, isClientSearch, typeOf } from './foreign-items.js';
import { type LeaveOut, membersOf } from './members-of.js';
import { isHostedChoice } from './tools.mapping.js';
import { ownOf, setMember } from '../wire/own-members.js';

/** The members of hosted tools that go on (openai-node, src/resources/responses/responses.ts). */
const members: Readonly<Record<string, readonly string[]>> = {
  web_search: ['external_web_access', 'filters', 'search_context_size', 'user_location'],
  web_search_preview: ['search_context_size', 'user_location'],
  file_search: ['vector_store_ids', 'filters', 'max_num_results', 'ranking_options'],
  code_interpreter: ['container'],
  image_generation: [
    'action',
    'background',
    'input_fidelity',
    'input_image_mask',
    'model',
    'moderation',
    'output_compression',
    'output_format',
    'quality',
    'size',
  ],
  mcp: [
    'server_label',
    'server_url',
    'server_description',
    'connector_id',
    'authorization',
    'headers',
    'allowed_tools',
    'require_approval',
  ],
  local_shell: [],
  apply_patch: [],
  computer: [],
  computer_use_preview: ['display_width', 'display_height', 'environment'],
  tool_search: ['execution'],
};

/** Whether the client runs it. */
const isCallable = (tool: ResponseTool): boolean => ['function', 'custom', 'namespace'].includes(tool.type) || isClientSearch(tool);

/**
 * The hosted tools of a request with their known members.
 * @throws ApiError 400 unsupported_parameter for tools that nobody knows
 */
export function hostedTools(tools: readonly ResponseTool[], choice: CreateResponseDto['tool_choice'], leaveOut?: LeaveOut): HostedTool[] {
  if (isHostedChoice(choice) && !tools.some(({ type }) => type === choice.type)) refuseHosted(choice.type, 'tool_choice.type');
  return tools.flatMap((tool, index) => {
    if (isCallable(tool)) return [];
    if (callOfTool(tool.type) === undefined) refuseHosted(tool.type, `tools[${index}].type`);
    const known = membersOf(tool, ownOf(members, undatedTool(tool.type)) ?? [], leaveOut, ['type']);
    return [Object.assign(known, { type: tool.type })];
  });
}

/** The types of loaded tools that are left out: a conversation loads no tools of vendors. */
export function unloaded(loaded: readonly ResponseTool[]): string[] {
  return loaded.filter((tool) => !isCallable(tool)).map(({ type }) => type.slice(0, 100));
}

/** An id that the gateway has made: no vendor has such. */
const own = /^[a-z]+_[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}_\d+$/;

/** An item of a hosted tool as it goes on, without ids that are not the gateway's own. */
export function hostedItem(item: InputItem, calls: CallIds): JsonObject {
  const type = typeOf(item);
  const kind = foreignItem(type);
  const kept = withoutIds({ ...item, type });
  if (!own.test(String(kept['id']))) delete kept['id'];
  return kind?.client && !hasSomeText(item, 'call_id') ? { ...kept, call_id: callIdOf(item, kind, calls) } : kept;
}

function withoutIds(holder: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(holder)) {
    if (isAccountId(name)) continue;
    const each = (one: unknown): unknown => (isObject(one) ? withoutIds(one) : one);
    setMember(kept, name, Array.isArray(value) ? value.map(each) : each(value));
  }
  return kept;
}

/** @throws ApiError 400 unsupported_parameter, which names the tool */
export function refuseHosted(type: unknown, where: string): never {
  const name = String(type).slice(0, 100);
  throw new ApiError(
    'unsupported_parameter',
    `${where}: '${name}' is a hosted tool, or of one, and not supported here: declare a function or a custom tool, and run it in the client`,
  );
}
