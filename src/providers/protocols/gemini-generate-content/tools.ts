import { copyMember, copyMembers, hasSomeText } from '../../../wire/members.js';
import type { Tool, ToolChoice } from '../../../wire/chat-completion.js';
import type { FunctionDeclaration, GenerateContentRequest } from './wire.js';
import { googleSchema } from './json-schema.js';

/** Tools, and how free the model is to use them. */
export function toolSettings(
  tools: readonly Tool[] | undefined,
  choice: ToolChoice | undefined,
): Pick<GenerateContentRequest, 'tools' | 'toolConfig'> {
  if (!tools?.length) return {};
  const config = callingConfig(tools, choice);
  return { tools: [{ functionDeclarations: tools.map(declaration) }], ...(config && { toolConfig: { functionCallingConfig: config } }) };
}

function declaration({ function: described }: Tool): FunctionDeclaration {
  const { name, parameters } = described;
  const declared: FunctionDeclaration = { name };
  if (hasSomeText(described, 'description')) copyMember(described, 'description', declared);
  if (parameters && !isEmpty(parameters)) declared.parametersJsonSchema = objectSchema(parameters);
  return declared;
}

/**
 * Whether a function has no parameters. It is then declared without a schema, because models up to 2.5 refuse an empty
 * object.
 */
function isEmpty(schema: Record<string, unknown>): boolean {
  const { type = 'object', properties = {}, additionalProperties = false } = schema;
  if (type !== 'object' || additionalProperties !== false || Object.keys(properties ?? {}).length > 0) return false;
  return !['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties'].some((key) => Object.hasOwn(schema, key));
}

function objectSchema(parameters: Record<string, unknown>): Record<string, unknown> {
  const schema = googleSchema(parameters);
  return '$ref' in schema || 'type' in schema ? schema : copyMembers(schema, { type: 'object' });
}

function callingConfig(
  tools: readonly Tool[],
  choice: ToolChoice = 'auto',
): NonNullable<GenerateContentRequest['toolConfig']>['functionCallingConfig'] | undefined {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  // The mode makes the arguments fit the schema, which is what `strict` promises.
  return tools.some((tool) => tool.function.strict) ? { mode: 'VALIDATED' } : undefined;
}
