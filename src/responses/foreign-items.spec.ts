import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { carriedReader } from '../inference/carried/testing/carried-texts.js';
import { said } from '../wire/testing/said.js';
import { CreateResponseDto } from './create-response.dto.js';
import { responseRequest } from './response.mapping.js';

const pipe = new WireValidationPipe(CreateResponseDto, 'extra');

/** The request, and what is told as left out. */
function read(input: readonly object[], more: object = {}) {
  const reader = carriedReader();
  const request = responseRequest(pipe.transform({ model: 'm', input, ...more }), reader);
  return { ...request, leftOut: [...(reader.leftOut ?? [])] };
}

const [ask, answer, next] = [said.user('Ask.'), said.assistant('Answer.'), said.user('Next.')];
const list = { type: 'function', name: 'list_issues', parameters: { type: 'object' } };
const space = { type: 'namespace', name: 'jira', tools: [{ type: 'function', name: 'find' }] };
const search = { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: { type: 'object' } };

describe('Items beyond messages, calls and reasoning', () => {
  it.each<[object, string, object, string]>([
    [
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'tides' }, status: 'completed' },
      'web_search',
      { type: 'search', query: 'tides' },
      'completed',
    ],
    [
      { type: 'file_search_call', id: 'fs_1', queries: ['tides'], results: [{ text: 'High.' }] },
      'file_search',
      { queries: ['tides'] },
      '[{"text":"High."}]',
    ],
    [
      { type: 'code_interpreter_call', id: 'ci_1', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
      'code_interpreter',
      { code: '1+1' },
      '[{"type":"logs","logs":"2"}]',
    ],
    [{ type: 'mcp_call', id: 'mcp_1', name: 'echo', arguments: '{"say":"a"}', output: 'heard' }, 'echo', { say: 'a' }, 'heard'],
    [{ type: 'mcp_call', id: 'mcp_1', name: 'echo', arguments: '{}', output: null, error: 'away' }, 'echo', {}, 'away'],
    [{ type: 'mcp_call', id: 'mcp_1', name: 'echo', arguments: '{}', output: null, status: 'failed' }, 'echo', {}, 'failed'],
    [{ type: 'mcp_call', id: 'mcp_1', name: 'echo', arguments: '{}' }, 'echo', {}, 'completed'],
  ])('%j is a call with its result for other models', (item, name, args, result) => {
    const id = (item as { id: string }).id;
    const { messages, native } = read([ask, item, answer, next]);
    expect(messages).toEqual([
      ask,
      said.assistant(null, [said.call(id, name, JSON.stringify(args))]),
      said.result(id, result),
      answer,
      next,
    ]);
    expect(native).toMatchObject({ beyond: [] });
  });

  it.each<[string, object, object, object, string]>([
    [
      'local_shell',
      { action: { type: 'exec', command: ['ls'] } },
      { call_id: undefined, id: 'c', output: 'a.txt' },
      { type: 'exec', command: ['ls'] },
      'a.txt',
    ],
    [
      'apply_patch',
      { operation: { type: 'delete_file', path: 'a' } },
      { output: null, status: 'completed' },
      { type: 'delete_file', path: 'a' },
      'completed',
    ],
  ])('a call of %s that the client has run is one like any other', (name, call, output, args, result) => {
    const { messages } = read([
      ask,
      { type: `${name}_call`, call_id: 'c', ...call },
      { type: `${name}_call_output`, call_id: 'c', ...output },
      next,
    ]);
    expect(messages).toEqual([ask, said.assistant(null, [said.call('c', name, JSON.stringify(args))]), said.result('c', result), next]);
  });

  it.each(['c', 'lsh_1'])('an output that names its call, or its item, by id has the id of the call: %s', (id) => {
    const input = [
      ask,
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'c', action: {} },
      { type: 'local_shell_call_output', id, output: '' },
    ];
    const { messages, native } = read(input);
    expect(messages.at(-1)).toEqual(said.result('c', ''));
    expect((native!.body['input'] as object[]).slice(1)).toEqual([
      { type: 'local_shell_call', call_id: 'c', action: {} },
      { type: 'local_shell_call_output', call_id: 'c', output: '' },
    ]);
  });

  it('tell results behind calls of one answer, and before those of the client', () => {
    const input = [
      { type: 'mcp_call', name: 'echo', arguments: '{}', output: 'heard' },
      { type: 'function_call', call_id: 'f', name: 'own', arguments: '{}' },
      { type: 'function_call_output', call_id: 'f', output: 'ok' },
    ];
    expect(read([ask, ...input]).messages).toEqual([
      ask,
      said.assistant(null, [said.call('call_1', 'echo', '{}'), said.call('f', 'own', '{}')]),
      said.result('call_1', 'heard'),
      said.result('f', 'ok'),
    ]);
  });

  it('search for tools that the model may call from then on', () => {
    const input = [
      ask,
      { type: 'tool_search_call', id: 'tsc_1', call_id: 's', execution: 'client', status: 'completed', arguments: { query: 'issues' } },
      { type: 'tool_search_output', call_id: 's', execution: 'client', status: 'completed', tools: [list, space, { type: 'web_search' }] },
      { type: 'additional_tools', role: 'developer', tools: [list, { type: 'custom', name: 'patch' }] },
      next,
    ];
    const { messages, tools, custom_tools, native, leftOut, hosted_items } = read(input, { tools: [search] });
    expect(messages).toEqual([
      ask,
      said.assistant(null, [said.call('s', 'tool_search', '{"query":"issues"}')]),
      said.result('s', 'list_issues\njira__find'),
      next,
    ]);
    expect(tools!.map(({ function: { name } }) => name)).toEqual(['tool_search', 'list_issues', 'jira__find', 'patch']);
    expect(custom_tools).toEqual([{ name: 'patch' }]);
    expect(native).toMatchObject({ beyond: [], body: { tools: [search] } });
    expect(native!.body['input']).toMatchObject([
      ask,
      { type: 'tool_search_call', call_id: 's', execution: 'client', arguments: { query: 'issues' } },
      { type: 'tool_search_output', call_id: 's', tools: [list, { type: 'function', name: 'jira__find' }] },
      { type: 'additional_tools', role: 'developer', tools: [list, { type: 'custom', name: 'patch' }] },
      next,
    ]);
    expect(leftOut).toEqual(['tools.web_search']);
    expect(hosted_items).toBeUndefined();
  });

  it('have the vendor search for tools, of which others are told at once', () => {
    const later = { ...list, defer_loading: true };
    const { tools, native, leftOut, hosted_tools } = read([ask], { tools: [{ type: 'tool_search' }, later] });
    expect(tools).toEqual([{ type: 'function', function: { name: 'list_issues', parameters: { type: 'object' } } }]);
    expect(native).toMatchObject({ beyond: ['tools.tool_search'], body: { tools: [later, { type: 'tool_search' }] } });
    expect([leftOut, hosted_tools]).toEqual([[], [{ type: 'tool_search' }]]);
  });

  it('tell of tools later only beside a search for them', () => {
    const { native } = read([ask], { tools: [{ ...list, defer_loading: true }] });
    expect(native).toMatchObject({ body: { tools: [list] } });
    expect(JSON.stringify(native)).not.toContain('defer_loading');
  });

  it.each<[string, object]>([
    ['compaction', { encrypted_content: 'enc' }],
    ['image_generation_call', { result: 'iVBO' }],
    ['mcp_list_tools', { tools: [] }],
    ['mcp_approval_request', { name: 'echo' }],
    ['mcp_approval_response', { approve: true }],
    ['computer_call', { call_id: 'c' }],
    ['computer_call_output', { call_id: 'c' }],
    ['mcp_call', { arguments: '{}' }],
    ['local_shell_call', { action: {} }],
  ])('%s goes on to whoever reads it, and is told as left out elsewhere', (type, members) => {
    const item = { type, ...members };
    const { messages, native, hosted_items } = read([ask, item, next]);
    expect(messages).toEqual([ask, next]);
    expect(native).toMatchObject({ beyond: [`input.${type}`], body: { input: [ask, item, next] } });
    expect(native!.needed).toBeUndefined();
    expect(hosted_items).toEqual([item]);
    expect(read([ask, item]).native!.needed).toBe(`input.${type}`);
  });

  it('leave out what nobody knows, but where the answer is to it', () => {
    const unknown = { type: 'time_travel', to: 1 };
    const { messages, native, leftOut } = read([ask, unknown, next]);
    expect([messages, leftOut]).toEqual([[ask, next], ['input.time_travel']]);
    expect(JSON.stringify(native)).not.toContain('time_travel');
    expect(() => read([ask, unknown])).toThrow("input[1].type: 'time_travel'");
  });

  it.each([
    [{ type: 'tool_search_output', call_id: 's', tools: 5 }, 'input[0].tools must be an array'],
    [{ type: 'additional_tools', tools: [{ type: 'function' }] }, 'input[0].tools[0].name must be a non-empty string'],
    [
      {
        type: 'additional_tools',
        tools: Array.from({ length: 11 }, () => ({ ...space, tools: Array.from({ length: 1_000 }, () => list) })),
      },
      '10000 tools together',
    ],
    [{ type: 5 }, 'input[0].type must be a non-empty string'],
  ])('are refused: %#', (item, message) => {
    expect(() => read([item])).toThrow(message);
  });
});
