import fc from 'fast-check';
import type { Message, ToolCall } from '../../../wire/chat-completion.js';
import { GenerateContentTranslator } from './translator.js';
import { conversation } from './conversation.js';
import type { Part } from './wire.js';
import { said } from '../../../wire/testing/said.js';

const call = (id: string, name: string, args: string, extra_content?: unknown): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...(extra_content ? { extra_content } : {}),
});

const signed = (thought_signature: string) => ({ google: { thought_signature } });

const parts = (message: Message): Part[] => conversation([message], false).contents[0]?.parts ?? [];

const refusal = (messages: Message[]): string => {
  try {
    conversation(messages, false);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ProviderError', kind: 'invalid_request' });
    return (error as Error).message;
  }
  throw new Error('was not refused');
};

describe('conversation', () => {
  it('collects system and developer messages in the system instruction', () => {
    const messages: Message[] = [
      said.system('one'),
      said.user('hello'),
      { role: 'developer', content: [said.text('two')] },
      said.system(''),
      said.assistant('hi'),
    ];
    expect(conversation(messages, true)).toEqual({
      systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
      contents: [
        { role: 'user', parts: [{ text: 'hello' }] },
        { role: 'model', parts: [{ text: 'hi' }] },
      ],
    });
  });

  it('asks with the system prompt itself where there is nothing else', () => {
    expect(conversation([said.system('one')], true)).toEqual({ contents: [{ role: 'user', parts: [{ text: 'one' }] }] });
  });

  it('passes data as data and addresses as addresses', () => {
    const content = [
      said.text('what is this?'),
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a/photo.JPG?size=1#x' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ];
    expect(parts(said.user(content))).toEqual([
      { text: 'what is this?' },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0K' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a/photo.JPG?size=1#x' } },
      { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
      { text: 'a.pdf' },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
    ]);
  });

  it.each([
    ['https://example.com/image?id=3', 'whose path does not end in'],
    ['https://example.com/image.constructor', 'whose path does not end in'],
    ['https://generativelanguage.googleapis.com/v1beta/files/abc.png', 'neither http(s) nor a data: URL'],
    ['https://generativelanguage.GOOGLEAPIS.com./v1beta/files/abc.png', 'neither http(s) nor a data: URL'],
    ['gs://bucket/private.png', 'neither http(s) nor a data: URL'],
    ['file:///etc/passwd.png', 'neither http(s) nor a data: URL'],
    ['data:image/svg+xml,<svg/>', 'not base64'],
    ['not a url', 'neither http(s) nor a data: URL'],
  ])('refuses the image %s', (url, why) => {
    const message = refusal([said.user([{ type: 'image_url', image_url: { url } }])]);
    expect(message).toContain('messages[0].content[0]');
    expect(message).toContain(why);
  });

  it('refuses parts that it does not know', () => {
    expect(refusal([said.user([{ type: 'video_url', video_url: { url: 'x' } }])])).toContain("the type 'video_url'");
  });

  it('pairs calls with their results, one turn each', () => {
    const messages: Message[] = [
      said.user('both?'),
      said.assistant(null, [call('a1', 'f', '{"x":1}'), call('b2', 'g', '')]),
      said.result('b2', 'plain text'),
      said.result('a1', '{"y":2}'),
      said.user('and?'),
    ];
    expect(conversation(messages, false).contents).toEqual([
      { role: 'user', parts: [{ text: 'both?' }] },
      {
        role: 'model',
        parts: [{ functionCall: { id: 'a1', name: 'f', args: { x: 1 } } }, { functionCall: { id: 'b2', name: 'g', args: {} } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'b2', name: 'g', response: { output: 'plain text' } } },
          { functionResponse: { id: 'a1', name: 'f', response: { y: 2 } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and?' }] },
    ]);
  });

  it('keeps the results of one round from those of the next', () => {
    const round = (id: string): Message[] => [{ role: 'assistant', tool_calls: [call(id, 'f', '{}')] }, said.result(id, id)];
    const { contents } = conversation([...round('a'), ...round('b')], false);
    expect(contents.map((turn) => turn.parts.length)).toEqual([1, 1, 1, 1]);
    expect(contents.map(({ role }) => role)).toEqual(['model', 'user', 'model', 'user']);
  });

  it.each([
    ['[1,2]', { output: '[1,2]' }],
    ['{"broken"', { output: '{"broken"' }],
    ['{"id":12345678901234567890}', { output: '{"id":12345678901234567890}' }],
    ['', { output: '' }],
  ])('gives the result %j as text', (content, response) => {
    const messages: Message[] = [{ role: 'assistant', tool_calls: [call('a', 'f', '{}')] }, said.result('a', content)];
    expect(conversation(messages, false).contents[1]?.parts).toEqual([{ functionResponse: { id: 'a', name: 'f', response } }]);
  });

  it('says of a result that it tells of a failure', () => {
    const messages: Message[] = [
      { role: 'assistant', tool_calls: [call('a', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: '{"y":2}', is_error: true },
    ];
    const response = { error: '{"y":2}' };
    expect(conversation(messages, false).contents[1]?.parts).toEqual([{ functionResponse: { id: 'a', name: 'f', response } }]);
  });

  it('looks at results until there were many of them', () => {
    const content = JSON.stringify({ a: 'x'.repeat(250_000) });
    const results = Array.from({ length: 6 }, (): Message => ({ role: 'tool', tool_call_id: 'a', content }));
    const messages: Message[] = [{ role: 'assistant', tool_calls: [call('a', 'f', '{}')] }, ...results];
    const names = conversation(messages, false).contents[1]!.parts.map((part) => Object.keys(part.functionResponse!.response)[0]);
    expect(names).toEqual(['a', 'a', 'a', 'a', 'output', 'output']);
  });

  it('passes images among the results', () => {
    const messages: Message[] = [
      { role: 'assistant', tool_calls: [call('a', 'f', '{}')] },
      said.result('a', [said.text('se'), { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } }, said.text('e')]),
    ];
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0K' };
    expect(conversation(messages, false).contents[1]?.parts).toEqual([
      { functionResponse: { id: 'a', name: 'f', response: { output: 'see' }, parts: [{ inlineData }] } },
    ]);
  });

  it('refuses results of calls that nobody made and arguments that are no object', () => {
    expect(refusal([said.result('x', '')])).toBe('messages[0].tool_call_id names no tool call of an earlier message');
    expect(refusal([{ role: 'assistant', tool_calls: [call('a', 'f', '[1]')] }])).toBe(
      'messages[0].tool_calls[0].function.arguments is not a JSON object',
    );
  });

  it('puts signatures back where they came from', () => {
    const message: Message = {
      role: 'assistant',
      content: 'text',
      extra_content: signed('T'),
      tool_calls: [call('a', 'f', '{}', signed('C'))],
    };
    expect(parts(message)).toEqual([
      { text: 'text', thoughtSignature: 'T' },
      { functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'C' },
    ]);
    expect(parts({ role: 'assistant', content: null, extra_content: signed('T') })).toEqual([{ text: '', thoughtSignature: 'T' }]);
  });

  it('stands in for a lost signature, of the first call alone, where the model refuses calls without', () => {
    const message: Message = { role: 'assistant', tool_calls: [call('a', 'f', '{}'), call('b', 'f', '{}')] };
    const signatures = (messages: Message[], needed: boolean) =>
      conversation(messages, needed).contents[0]?.parts.map((part) => part.thoughtSignature);
    expect(signatures([message], true)).toEqual(['skip_thought_signature_validator', undefined]);
    expect(signatures([message], false)).toEqual([undefined, undefined]);
    const kept: Message = { role: 'assistant', tool_calls: [call('a', 'f', '{}', signed('C')), call('b', 'f', '{}')] };
    expect(signatures([kept], true)).toEqual(['C', undefined]);
  });

  it('gives back to the next turn what an answer brought', () => {
    const text = fc.record({ text: fc.string({ minLength: 1 }), thoughtSignature: fc.base64String({ minLength: 4 }) });
    const functionCall = fc.record(
      {
        functionCall: fc.record(
          {
            id: fc.stringMatching(/^[a-z0-9]{8}$/),
            name: fc.stringMatching(/^[a-z_]{1,20}$/),
            args: fc.dictionary(fc.string(), fc.jsonValue()),
          },
          { requiredKeys: ['name', 'args'] },
        ),
        thoughtSignature: fc.base64String({ minLength: 4 }),
      },
      { requiredKeys: ['functionCall'] },
    );
    const answers = fc.tuple(fc.array(text, { maxLength: 1 }), fc.array(functionCall, { maxLength: 4 })).map(([a, b]) => [...a, ...b]);
    fc.assert(
      fc.property(answers, (given) => {
        fc.pre(given.length > 0);
        const wire = JSON.parse(JSON.stringify(given)) as Part[];
        const request = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [] } as const;
        const translator = new GenerateContentTranslator(request, '01890a5d-ac96-774b-bcce-b302099a8057', []);
        const { choices } = translator.whole({ candidates: [{ content: { parts: wire }, finishReason: 'STOP' }] });
        expect(parts(choices[0]?.delta as Message & { role: 'assistant' })).toEqual(wire);
      }),
    );
  });
});
