import { copyOf, valueAt } from '../../wire/members.js';
import type { StoredItem } from '../../response-store/stored-response.js';
import type { OutputItem } from '../../wire/response.js';
import type { InputItem, InputPart } from '../../wire/response-input.js';
import type { CreateResponseDto } from '../create-response.dto.js';
import { typeOf } from '../foreign-items.js';

const prefixes: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctco'],
]);

/** The input of a request as items. The ids that clients give items are not kept: anybody can make up any. */
export function storedItemsOf({ input }: Pick<CreateResponseDto, 'input'>, requestId: string): StoredItem[] {
  const items: InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return items.map((item, index) => storedItem(item, `${requestId}_in_${index}`));
}

function storedItem(item: InputItem, id: string): StoredItem {
  const type = String(typeOf(item));
  const copy = copyOf(item) as Record<string, unknown>;
  const stored = Object.assign(copy, { id: `${prefixes.get(type) ?? 'item'}_${id}`, type });
  if (type === 'message') {
    const text = item['role'] === 'assistant' ? 'output_text' : 'input_text';
    const content = valueAt(item, 'content');
    stored['content'] = (Array.isArray(content) ? (content as InputPart[]) : [{ type: text, text: item['content'] as string }]).map(
      storedPart,
    );
  }
  if (type === 'reasoning') stored['summary'] ??= [];
  else stored['status'] ??= 'completed';
  return stored as StoredItem;
}

/** OpenAI's schemas require annotations of the texts of answers, which clients leave out. */
function storedPart(part: object): object {
  return (part as InputPart).type === 'output_text' ? { annotations: [], logprobs: [], ...copyOf(part) } : part;
}

/** An item of an earlier answer as the model is shown it again. */
export function asInput(item: OutputItem): InputItem {
  return item as unknown as InputItem;
}
