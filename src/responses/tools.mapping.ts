import { madeFrom } from '../json/json-source.js';
import { copyMember, valueAt } from '../json/long-text.js';
import type { ResponseFormat, Tool, ToolChoice } from '../wire/chat-completion.js';
import { type CustomFormat, type CustomTool, functionOf } from '../wire/custom-tool.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { CallableTool, CustomToolDeclaration, FunctionToolDeclaration, ResponseTool } from '../wire/response.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { refuseHosted } from './hosted-tools.js';

type ToolSettings = Pick<ChatGenerationRequest, 'tools' | 'custom_tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** A tool that the model may call. */
interface Callable {
  readonly tool: CallableTool;
  readonly namespace?: string;
  /** The name by which the model calls it. */
  readonly name: string;
}

/** The one name of a tool of a namespace, which other formats do not have. */
export function fullName(name: string, namespace: unknown): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name;
}

/** What calls of the tools of namespaces are called by: the namespace and the name, by their one name. */
export function namespacedNames(tools: readonly ResponseTool[]): ReadonlyMap<string, { name: string; namespace: string }> {
  const own = tools
    .filter((tool) => tool.type === 'namespace')
    .flatMap((space) => space.tools.map(({ name }) => ({ name, namespace: space.name })));
  return new Map(own.map((named) => [fullName(named.name, named.namespace), named]));
}

/** @throws ApiError 400 unsupported_parameter for hosted tools */
export function toolSettings(body: CreateResponseDto): ToolSettings {
  const { tools: declared, tool_choice, parallel_tool_calls } = body;
  const callable = (declared ?? []).flatMap((tool, index) => callableTools(tool, `tools[${index}].type`));
  const choice = tool_choice ?? undefined;
  if (typeof choice === 'object' && choice.type !== 'allowed_tools' && !isCallable(choice)) refuseHosted(choice.type, 'tool_choice.type');
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice : undefined;
  const names = allowed && new Set(allowed.tools.map(({ name, namespace }) => fullName(name, namespace)));
  const offered = callable.filter(({ name, namespace }) => !names || names.has(name) || (namespace !== undefined && names.has(namespace)));
  if (offered.length === 0) return {};
  const custom = offered.flatMap(({ tool, name }) => (tool.type === 'custom' ? [customTool(tool, name)] : []));
  return {
    tools: madeFrom(body, ['tools'], offered.map(toolOf)),
    custom_tools: custom.length > 0 ? custom : undefined,
    tool_choice: choiceOf(choice),
    parallel_tool_calls: parallel_tool_calls ?? undefined,
  };
}

function isCallable({ type }: { readonly type: string }): boolean {
  return type === 'function' || type === 'custom';
}

function callableTools(tool: ResponseTool, where: string): readonly Callable[] {
  if (tool.type === 'function' || tool.type === 'custom') return [{ tool, name: tool.name }];
  if (tool.type !== 'namespace') return refuseHosted((tool as { type: string }).type, where);
  const { name: namespace, tools } = tool;
  return tools.map((inner) => ({ tool: inner, namespace, name: fullName(inner.name, namespace) }));
}

function choiceOf(choice: CreateResponseDto['tool_choice']): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  return choice.type === 'allowed_tools' ? choice.mode : { type: 'function', function: { name: fullName(choice.name, choice.namespace) } };
}

function toolOf({ tool, name }: Callable): Tool {
  return tool.type === 'custom' ? functionOf(customTool(tool, name)) : functionTool(tool, name);
}

function functionTool(declared: FunctionToolDeclaration, name: string): Tool {
  const tool: Tool = { type: 'function', function: { name } };
  for (const member of ['description', 'parameters', 'strict'] as const) {
    if ((valueAt(declared, member) ?? undefined) !== undefined) copyMember(declared, member, tool.function);
  }
  return tool;
}

function customTool({ description, format }: CustomToolDeclaration, name: string): CustomTool {
  return { name, ...(description && { description }), ...(format && { format: customFormat(format) }) };
}

function customFormat(format: NonNullable<CustomToolDeclaration['format']>): CustomFormat {
  if (format.type === 'text') return { type: 'text' };
  return { type: 'grammar', grammar: { definition: format.definition, syntax: format.syntax } };
}

/** @returns undefined for text, which is what every model answers */
export function responseFormat(body: CreateResponseDto): ResponseFormat | undefined {
  const format = body.text?.format;
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, schema, strict } = format;
  const named = { name };
  if ((valueAt(format, 'description') ?? undefined) !== undefined) copyMember(format, 'description', named);
  return madeFrom<ResponseFormat>(body, ['text'], {
    type: 'json_schema',
    json_schema: Object.assign(named, { ...(schema && { schema }), ...(typeof strict === 'boolean' && { strict }) }),
  });
}

/** The tools as the answer repeats them. */
export function declaredTool(tool: ResponseTool): ResponseTool {
  if (tool.type !== 'function') return tool;
  const { name, description = null, parameters = null, strict = null } = tool;
  return { ...tool, type: 'function', name, description, parameters, strict };
}
