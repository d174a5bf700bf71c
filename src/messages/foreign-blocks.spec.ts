import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { carriedReader } from '../inference/carried/testing/carried-texts.js';
import { said } from '../wire/testing/said.js';
import { CreateMessageDto } from './create-message.dto.js';
import { messageRequest } from './message-request.js';

const pipe = new WireValidationPipe(CreateMessageDto, 'extra');

/** The request, and what is told as left out. */
function read(messages: readonly object[], more: object = {}) {
  const reader = carriedReader();
  const request = messageRequest(pipe.transform({ model: 'm', max_tokens: 10, messages, ...more }), {}, reader);
  return { ...request, leftOut: [...(reader.leftOut ?? [])] };
}

const [ask, next, end] = [said.user('Ask.'), said.user('Next.'), said.text('End.')];
const call = (type: string, name: string) => ({ type, id: 'srv_1', name, input: { query: 'tides' } });
const result = (type: string, content: unknown) => ({ type, tool_use_id: 'srv_1', content });
const found = { type: 'web_search_result', url: 'https://tides.example', title: 'Tides', encrypted_content: 'enc' };
const fetched = {
  type: 'web_fetch_result',
  url: 'https://tides.example',
  content: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'High at noon.' } },
};

describe('Blocks of tools that a vendor runs', () => {
  it.each<[string, string, string, unknown, unknown]>([
    ['server_tool_use', 'web_search', 'web_search_tool_result', [found], [{ ...found, encrypted_content: undefined }]],
    ['server_tool_use', 'web_fetch', 'web_fetch_tool_result', fetched, fetched],
    [
      'server_tool_use',
      'tool_search_tool_bm25',
      'tool_search_tool_result',
      { type: 'x', tool_references: [] },
      { type: 'x', tool_references: [] },
    ],
    ['server_tool_use', 'code_execution', 'code_execution_tool_result', { stdout: 'out' }, { stdout: 'out' }],
    ['server_tool_use', 'bash_code_execution', 'bash_code_execution_tool_result', { stdout: 'out' }, { stdout: 'out' }],
    ['server_tool_use', 'text_editor_code_execution', 'text_editor_code_execution_tool_result', { lines: ['a'] }, { lines: ['a'] }],
    ['mcp_tool_use', 'echo', 'mcp_tool_result', [said.text('heard')], [said.text('heard')]],
  ])('%s of %s is a call for other models, with its result', (type, name, resultType, content, told) => {
    const own = { type: 'tool_use', id: 't', name: 'own', input: {} };
    const blocks = [said.text('First.'), call(type, name), own, result(resultType, content), end];
    const { messages, leftOut } = read([ask, said.assistant(blocks), said.user([{ type: 'tool_result', tool_use_id: 't' }])]);
    expect(messages).toEqual([
      ask,
      said.assistant('First.', [said.call('srv_1', name, '{"query":"tides"}')]),
      said.result('srv_1', JSON.stringify(told)),
      said.assistant('End.', [said.call('t', 'own', '{}')]),
      said.result('t', ''),
    ]);
    expect(leftOut).toEqual([]);
  });

  it.each<[string, readonly object[]]>([
    ['a search', [call('server_tool_use', 'web_search'), result('web_search_tool_result', [found]), end]],
    ['a fetched page', [call('server_tool_use', 'web_fetch'), result('web_fetch_tool_result', fetched), end]],
  ])('%s goes on as it came to Anthropic, without what nobody knows', (_what, blocks) => {
    const more = blocks.map((block) => ({ ...block, odd: 1 }));
    const { native, hosted_items } = read([ask, said.assistant(more), next]);
    expect(native).toMatchObject({ beyond: [], body: { messages: [ask, { content: blocks }, next] } });
    expect(JSON.stringify(native)).not.toContain('odd');
    expect(hosted_items).toHaveLength(2);
  });

  it('goes on with the citations of a text, whose bytes count', () => {
    const cited = {
      ...said.text('Noon.'),
      citations: [{ type: 'web_search_result_location', cited_text: 'Noon.', encrypted_index: 'ei' }],
    };
    const { native, hosted_items } = read([ask, said.assistant([cited, end]), next]);
    expect(native).toMatchObject({ body: { messages: [ask, { content: [cited, end] }, next] } });
    expect(hosted_items).toEqual([cited]);
  });

  it.each<[string, object]>([
    ['files of an account', { type: 'file', file_id: 'theirs' }],
    ['addresses', { type: 'content', content: [{ type: 'image', source: { type: 'url', url: 'http://10.0.0.1/theirs' } }] }],
  ])('keep %s out of what goes on', (_what, source) => {
    const page = { ...fetched, content: { type: 'document', source } };
    const { native } = read([ask, said.assistant([call('server_tool_use', 'web_fetch'), result('web_fetch_tool_result', page)]), next]);
    expect(native).toBeDefined();
    expect(JSON.stringify(native)).not.toContain('theirs');
  });

  it('tells the names of tools that a search of the client has found', () => {
    const reference = { type: 'tool_reference', tool_name: 'list_issues' };
    const turn = said.user([{ type: 'tool_result', tool_use_id: 't', content: [reference] }]);
    const { messages, native } = read([ask, said.assistant([{ type: 'tool_use', id: 't', name: 'find', input: {} }]), turn]);
    expect(messages.at(-1)).toEqual(said.result('t', 'list_issues'));
    expect(native).toMatchObject({ beyond: [], body: { messages: [ask, {}, turn] } });
  });

  it('go on to Anthropic’s own address alone where tools are told later', () => {
    const tools = (more: object) => ({ tools: [{ name: 'find', input_schema: { type: 'object' }, ...more }] });
    expect([read([ask], tools({ defer_loading: true })).native!.beyond, read([ask], tools({})).native!.beyond]).toEqual([
      ['tools.defer_loading'],
      undefined,
    ]);
  });

  it.each<[string, readonly object[], readonly object[]]>([
    ['a summary', [{ type: 'compaction', content: 'So far.' }, end], [said.text('So far.'), end]],
    ['a call without its result', [call('server_tool_use', 'web_search'), end], [end]],
    ['a result without its call', [result('web_search_tool_result', [found]), end], [end]],
    ['a block that nobody knows', [{ type: 'time_travel', to: 1 }, end], [end]],
    ['nothing else', [{ type: 'time_travel' }], []],
  ])('never lock a conversation: %s', (_what, blocks, kept) => {
    const { messages, leftOut } = read([ask, said.assistant(blocks), said.user([{ type: 'container_upload', file_id: 'f' }, end]), next]);
    const answer = kept.length > 1 ? kept : 'End.';
    expect(messages).toEqual([ask, ...(kept.length > 0 ? [said.assistant(answer)] : []), said.user('End.'), next]);
    const names = blocks.filter((block) => !kept.includes(block)).map((block) => `messages.content.${(block as { type: string }).type}`);
    expect(leftOut).toEqual([...names.filter((name) => !name.endsWith('compaction')), 'messages.content.container_upload']);
  });

  it('go on to no vendor where nobody knows them', () => {
    expect(read([ask, said.assistant([{ type: 'time_travel' }, end]), next]).native).toBeUndefined();
    expect(read([ask, said.assistant([call('mcp_tool_use', 'echo'), result('mcp_tool_result', 'a')]), next]).native).toBeUndefined();
  });

  it.each<[string, object]>([
    ['what the answer is to', said.user([{ type: 'container_upload', file_id: 'f' }])],
    ['in a result that the answer is to', said.user([{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'time_travel' }] }])],
    ['what stands at another place', said.assistant([{ type: 'image' }])],
    ['a call without its input', said.assistant([{ type: 'server_tool_use', id: 'a', name: 'b' }])],
    ['a result without a content', said.assistant([{ type: 'web_search_tool_result', tool_use_id: 'a' }])],
  ])('are refused: %s', (_what, turn) => {
    expect(() => read([ask, turn])).toThrow('messages[1].content[0]');
  });
});
