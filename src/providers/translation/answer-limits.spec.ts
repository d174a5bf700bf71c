import type { JsonObject } from '../../wire/json-object.js';
import { MessagesTranslator } from '../protocols/anthropic-messages/translator.js';
import { ToolCallTranslator } from '../protocols/chat-completions/tool-call-translator.js';
import { GenerateContentTranslator } from '../protocols/gemini-generate-content/translator.js';
import { ResponsesTranslator } from '../protocols/openai-responses/translator.js';

const request = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [] } as const;
const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const name = 'f';

it('An answer has few arguments before the name of their call', () => {
  const translator = new ToolCallTranslator();
  const piece = [{ index: 0, function: { arguments: 'x'.repeat(65_536) } }];
  expect(translator.read(piece, false)).toEqual([]);
  expect(() => translator.read(piece, false)).toThrow(expect.objectContaining({ kind: 'limit_exceeded' }));
});

describe('An answer with more tool calls than a choice may have', () => {
  it.each<[string, JsonObject, (calls: JsonObject[]) => unknown]>([
    [
      'anthropic-messages',
      { type: 'tool_use', name },
      (content) => new MessagesTranslator(false).whole({ content, stop_reason: 'tool_use' }),
    ],
    ['chat-completions', { function: { name } }, (calls) => new ToolCallTranslator().read(calls, true)],
    [
      'gemini-generate-content',
      { functionCall: { name } },
      (parts) => new GenerateContentTranslator(request, id, []).whole({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }),
    ],
    [
      'openai-responses',
      { type: 'function_call', name },
      (output) => [...new ResponsesTranslator([], false).whole({ status: 'completed', output })],
    ],
  ])('is refused in %s', (_, call, answer) => {
    const calls = Array.from({ length: 1_024 }, () => call);
    expect(() => answer(calls)).not.toThrow();
    expect(() => answer([...calls, call])).toThrow(
      expect.objectContaining({ kind: 'limit_exceeded', message: 'The answer has more than 1024 tool calls.' }),
    );
  });
});
