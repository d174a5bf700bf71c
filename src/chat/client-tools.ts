import { namesRead, reportUnread } from '../json/unread-members.js';
import type { Tool, ToolChoice } from '../wire/chat-completion.js';
import { type CustomTool, functionOf } from '../wire/custom-tool.js';
import type { ChatGenerationRequest } from '../wire/generation.js';

/** A tool as clients declare it. */
export type ClientTool = Tool | { type: 'custom'; custom: CustomTool };

/** What names a tool in a choice of tools. */
type NamedTool = { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } };

/** `any` is Mistral's word for `required`. */
export type ClientToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | 'any'
  | NamedTool
  | { type: 'allowed_tools'; allowed_tools: { mode: 'auto' | 'required'; tools: NamedTool[] } };

/** A function of the format before tools. */
export interface LegacyFunction {
  name: string;
  description?: string;
  parameters?: Record<string, unknown>;
}

export type LegacyFunctionCall = 'none' | 'auto' | { name: string };

interface ToolFields {
  tools?: ClientTool[] | null;
  tool_choice?: ClientToolChoice | null;
  parallel_tool_calls?: boolean | null;
  functions?: LegacyFunction[] | null;
  function_call?: LegacyFunctionCall | null;
}

type CanonicalTools = Pick<ChatGenerationRequest, 'tools' | 'custom_tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** The tools of a request in the canonical form: custom ones are functions, and so are those of the format before tools. */
export function canonicalTools(body: ToolFields): CanonicalTools {
  if (body.functions?.length) return legacyTools(body.functions, body.function_call);
  if (!body.tools?.length) return {};
  const { tool_choice: choice } = body;
  const allowed = typeof choice === 'object' && choice?.type === 'allowed_tools' ? choice.allowed_tools : undefined;
  const names = allowed && new Set(allowed.tools.map(nameOf));
  const offered = names ? body.tools.filter((tool) => names.has(nameOf(tool))) : body.tools;
  const custom = offered.filter((tool) => tool.type === 'custom');
  return {
    // The list itself goes on where it can: what goes on as it came costs least.
    tools: custom.length > 0 ? offered.map((tool) => (tool.type === 'custom' ? functionOf(tool.custom) : tool)) : (offered as Tool[]),
    custom_tools: custom.length > 0 ? custom.map((tool) => tool.custom) : undefined,
    tool_choice: allowed ? allowed.mode : chosen(choice as Exclude<typeof choice, { type: 'allowed_tools' }>),
    parallel_tool_calls: body.parallel_tool_calls ?? undefined,
  };
}

const customRead = {
  type: true,
  custom: { ...namesRead('name description'), format: { type: true, grammar: namesRead('definition syntax') } },
} as const;

const named = { type: true, function: namesRead('name'), custom: namesRead('name') } as const;
const choiceRead = { ...named, allowed_tools: { mode: true, tools: named } } as const;

/** What the functions that stand for custom tools, and choices of them, have no word for. */
export function unheardOfTools({ tools, tool_choice: choice }: ToolFields): Set<string> {
  const reported = new Set<string>();
  if (tools)
    reportUnread(
      tools.filter(({ type }) => type === 'custom'),
      customRead,
      'tools',
      reported,
    );
  if (typeof choice === 'object' && choice?.type !== 'function') reportUnread(choice, choiceRead, 'tool_choice', reported);
  return reported;
}

function nameOf(tool: NamedTool): string {
  return tool.type === 'custom' ? tool.custom.name : tool.function.name;
}

function chosen(choice: Exclude<ClientToolChoice, { type: 'allowed_tools' }> | null | undefined): ToolChoice | undefined {
  if (typeof choice !== 'object') return choice === 'any' ? 'required' : choice;
  return choice?.type === 'custom' ? { type: 'function', function: { name: choice.custom.name } } : (choice ?? undefined);
}

/** An answer of that format has one call at most. */
function legacyTools(functions: readonly LegacyFunction[], choice: LegacyFunctionCall | null | undefined): CanonicalTools {
  return {
    tools: functions.map((declared) => ({ type: 'function', function: declared })),
    tool_choice: typeof choice === 'object' && choice ? { type: 'function', function: choice } : (choice ?? undefined),
    parallel_tool_calls: false,
  };
}
