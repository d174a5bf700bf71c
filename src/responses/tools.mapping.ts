import { madeFrom } from '../json/json-source.js';
import { copyMember, valueAt } from '../wire/members.js';
import type { ResponseFormat, Tool, ToolChoice } from '../wire/chat-completion.js';
import { type CustomFormat, type CustomTool, functionOf } from '../wire/custom-tool.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { CallableTool, CustomToolDeclaration, FunctionToolDeclaration, HostedChoice, ResponseTool } from '../wire/response-tool.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { isClientSearch, TOOL_SEARCH } from './foreign-items.js';

type ToolSettings = Pick<ChatGenerationRequest, 'tools' | 'custom_tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** A tool that the model may call. */
export interface Callable {
  readonly tool: CallableTool | ClientSearch;
  readonly namespace?: string;
  /** The name by which the model calls it. */
  readonly name: string;
}

/** The search of tools that a client makes, which the model asks for. */
type ClientSearch = Pick<FunctionToolDeclaration, 'description' | 'parameters' | 'strict'> & { readonly type: 'tool_search' };

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

/**
 * The tools that the client runs and that the choice allows, those of namespaces among them.
 * @param loaded in the conversation, of which those that have no new name are not told again
 */
export function offeredTools({ tools, tool_choice }: CreateResponseDto, loaded: readonly ResponseTool[] = []): readonly Callable[] {
  const callable = [...callablesOf(tools ?? [])];
  const known = new Set(callable.map(({ name }) => name));
  for (const one of callablesOf(loaded)) if (known.size < known.add(one.name).size) callable.push(one);
  const choice = tool_choice ?? undefined;
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice : undefined;
  const names = allowed && new Set(allowed.tools.map(({ name, namespace }) => fullName(name, namespace)));
  return callable.filter(({ name, namespace }) => !names || names.has(name) || (namespace !== undefined && names.has(namespace)));
}

export function toolSettings(offered: readonly Callable[], body: CreateResponseDto): ToolSettings {
  const { tool_choice, parallel_tool_calls } = body;
  if (offered.length === 0) return {};
  const custom = offered.flatMap(({ tool, name }) => (tool.type === 'custom' ? [customTool(tool, name)] : []));
  return {
    tools: madeFrom(body, ['tools'], offered.map(toolOf)),
    custom_tools: custom.length > 0 ? custom : undefined,
    tool_choice: choiceOf(tool_choice),
    parallel_tool_calls: parallel_tool_calls ?? undefined,
  };
}

export function callablesOf(tools: readonly ResponseTool[]): readonly Callable[] {
  return tools.flatMap(callableTools);
}

function callableTools(tool: ResponseTool): readonly Callable[] {
  if (isClientSearch(tool)) return [{ tool: tool as ClientSearch, name: TOOL_SEARCH }];
  if (tool.type === 'function' || tool.type === 'custom') return [{ tool, name: tool.name }];
  if (tool.type !== 'namespace') return [];
  const { name: namespace, tools } = tool;
  return tools.map((inner) => ({ tool: inner, namespace, name: fullName(inner.name, namespace) }));
}

/** A choice of a hosted tool, which the canonical form has no word for. */
export function isHostedChoice(choice: CreateResponseDto['tool_choice']): choice is HostedChoice {
  return typeof choice === 'object' && choice !== null && !callableChoices.has(choice.type);
}

const callableChoices: ReadonlySet<string> = new Set(['function', 'custom', 'allowed_tools']);

function choiceOf(choice: CreateResponseDto['tool_choice']): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  if (isHostedChoice(choice)) return undefined;
  return choice.type === 'allowed_tools' ? choice.mode : { type: 'function', function: { name: fullName(choice.name, choice.namespace) } };
}

function toolOf({ tool, name }: Callable): Tool {
  return tool.type === 'custom' ? functionOf(customTool(tool, name)) : functionTool(tool, name);
}

function functionTool(declared: FunctionToolDeclaration | ClientSearch, name: string): Tool {
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

/** A tool as the answer repeats it: without what a client sends to prove itself. */
export function declaredTool(tool: ResponseTool): ResponseTool {
  if (tool.type === 'mcp') {
    const { authorization: _authorization, headers: _headers, ...shown } = tool;
    return shown;
  }
  if (tool.type !== 'function') return tool;
  const { name, description = null, parameters = null, strict = null } = tool;
  return { ...tool, type: 'function', name, description, parameters, strict };
}
