import { hasText } from '../../../wire/members.js';
import type { ResponseFormat } from '../../../wire/chat-completion.js';
import { describedSchema } from '../../translation/described-schema.js';
import { ProviderError } from '../../contract/provider-error.js';
import { textBlock } from './content-parts.js';
import { closedSchema } from './json-schema.js';
import type { MessagesBody, MessagesTool, TextBlock } from './wire.js';
import type { ModelTraits } from './model-traits.js';
import { anyObject, objectSchema } from './tools.js';

/** The name of a tool whose input is the content of the response. It must not be the name of a client's tool. */
export const JSON_TOOL = 'switchyard_json_answer';

const instruction: TextBlock = {
  type: 'text',
  text: 'Answer with one JSON object and nothing else: no words before or after it, no code fence.',
};

/**
 * Makes the model answer in JSON, and changes `body` accordingly: by constrained decoding where model and schema allow
 * it; otherwise by a tool that must be called, whose input becomes the content of the response; for an object without a
 * schema, on a model that cannot be made to call a tool, by an instruction.
 * @returns whether JSON_TOOL is used
 * @throws ProviderError invalid_request where the model cannot keep to the schema
 */
export function demandJson(
  body: MessagesBody,
  format: ResponseFormat | undefined,
  traits: ModelTraits,
  dropped: (parameter: string) => void,
): boolean {
  if (!format || format.type === 'text') return false;
  const schema = describedSchema(format);
  const closed = schema && traits.structuredOutputs ? closedSchema(schema) : undefined;
  if (closed) {
    body.output_config = { ...body.output_config, format: { type: 'json_schema', schema: closed.schema } };
    for (const keyword of closed.loosened) dropped(`response_format.${keyword}`);
    return false;
  }
  if (traits.forcedTools) return addJsonTool(body, schema);
  if (schema) {
    throw new ProviderError(
      'invalid_request',
      'This model cannot keep to the schema in response_format: it must be free of recursion, and every object must name its properties',
    );
  }
  const system = hasText(body, 'system') ? [textBlock(body, 'system')] : ((body.system ?? []) as TextBlock[]);
  body.system = [...system, instruction];
  return false;
}

/** Adds the tool, unless the client itself requires a tool call now: the JSON is then for a later turn. */
function addJsonTool(body: MessagesBody, schema: Record<string, unknown> | undefined): boolean {
  const choice = body.tool_choice?.type;
  if (choice === 'any' || choice === 'tool') return false;
  const tool: MessagesTool = {
    name: JSON_TOOL,
    description: 'Takes your whole answer. Call it once, with the JSON object that the conversation asks for as its input.',
    input_schema: schema ? objectSchema(schema) : anyObject,
  };
  const only = !body.tools?.length || choice === 'none';
  body.tools = [...(body.tools ?? []), tool];
  // One call at a time: otherwise the response would come beside calls whose results it does not know.
  body.tool_choice = { ...(only ? { type: 'tool', name: JSON_TOOL } : { type: 'any' }), disable_parallel_tool_use: true };
  return true;
}
