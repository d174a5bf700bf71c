import { BufferList } from '../../json/buffer-list.js';
import { parseWhole } from '../../json/testing/parse-whole.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { translatedJson } from '../protocols/translated-json.js';
import { LargeBody } from '../transport/large-body.js';

/** A request with texts wherever formats take one. */
function wholeOf(times: number): ChatGenerationRequest {
  const text = 'Some € words "quoted"\n\ud800 😀 '.repeat(times);
  const call = { id: `call ${text}`, type: 'function' as const, function: { name: 'look', arguments: '{"a":1}' } };
  const spaces = [
    { type: 'text', text: ' \n'.repeat(times) },
    { type: 'text', text: `${' '.repeat(times)}x` },
  ];
  const media = [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(times)}` } },
    { type: 'refusal', refusal: text },
  ];
  const thoughts = [
    { type: 'thinking', thinking: text, signature: text },
    { type: 'redacted_thinking', data: text },
  ];
  return {
    operation: 'chat',
    model: 'm',
    stream: false,
    n: 1,
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: text },
      { role: 'user', content: media },
      { role: 'user', content: spaces },
      { role: 'assistant', content: text, refusal: text, reasoning_content: text, thinking_blocks: thoughts, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: text },
      { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'b' }] },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text }] },
      { role: 'assistant', content: 'x', tool_calls: [{ ...call, id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: JSON.stringify({ result: text }) },
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'look',
          description: text,
          parameters: { description: text, properties: { a: { enum: ['a', text], title: text } } },
        },
      },
    ],
    stop: ['x'],
    response_format: { type: 'json_schema', json_schema: { name: 'n', description: text, schema: { description: text, const: 'x' } } },
  };
}

const parsed = (request: object) => parseWhole(new BufferList([Buffer.from(JSON.stringify(request))])) as unknown as ChatGenerationRequest;
const bytesOf = (body: string | LargeBody) => (body instanceof LargeBody ? Buffer.concat(body.bytes()).toString() : body);

/**
 * That a body which is made of a large request has its texts, as the client wrote them.
 * @param translate makes the body
 * @param more changes what is asked
 */
export function describeLongTexts(translate: (request: ChatGenerationRequest) => object, more: Partial<ChatGenerationRequest> = {}): void {
  const requestOf = (times: number) => ({ ...wholeOf(times), ...more });

  it.each([
    ['of megabytes', 3_000, true],
    ['of kilobytes', 300, false],
    ['that is short', 2, false],
  ])('is the same for one %s', (_what, times, isLarge) => {
    const plain = requestOf(times);
    const expected = JSON.stringify(translate(plain));
    const request = parsed(plain);
    const body = translatedJson(translate(request), request);
    expect(body instanceof LargeBody).toBe(isLarge);
    // A difference of megabytes would take minutes to be shown.
    expect(JSON.stringify(JSON.parse(bytesOf(body))) === expected).toBe(true);
  });
}
