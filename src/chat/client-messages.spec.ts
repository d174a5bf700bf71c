import { canonicalMessages, type ClientMessage } from './client-messages.js';
import { canonicalTools, type ClientTool } from './client-tools.js';

const canonical = (messages: ClientMessage[]) => JSON.parse(JSON.stringify(canonicalMessages(messages))) as unknown;

describe('canonicalMessages', () => {
  it('is the same array where nothing changes', () => {
    const messages: ClientMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', reasoning_content: 'r' },
      { role: 'tool', tool_call_id: 'c', content: 'd' },
    ];
    expect(canonicalMessages(messages)).toBe(messages);
  });

  it.each([{ tool_calls: null }, { tool_calls: [] }, { function_call: null }, { audio: null }, { refusal: null }])(
    'leaves out what says nothing: %j',
    (empty) => {
      const said: ClientMessage = { role: 'assistant', content: 'a' };
      expect(canonical([{ ...said, ...empty }])).toEqual([said]);
    },
  );

  it('gives calls and results of functions ids of their own', () => {
    const called = (name: string) => ({ name, arguments: '{}' });
    expect(
      canonical([
        { role: 'assistant', content: null, function_call: called('f') },
        { role: 'function', name: 'f', content: '1' },
        { role: 'assistant', content: null, function_call: called('f') },
        { role: 'function', name: 'f', content: '2' },
        { role: 'function', name: 'g', content: '3' },
      ]),
    ).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_0', type: 'function', function: called('f') }] },
      { role: 'tool', tool_call_id: 'call_0', content: '1' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called('f') }] },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
      { role: 'tool', tool_call_id: 'call_2', content: '3' },
    ]);
  });

  it('makes calls of custom tools those of functions, beside others', () => {
    const other = { id: 'b', type: 'function' as const, function: { name: 'g', arguments: '{}' } };
    const custom = { id: 'a', type: 'custom' as const, custom: { name: 'f', input: 'x "y"' } };
    expect(canonical([{ role: 'assistant', content: null, tool_calls: [custom, other] }])).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"input":"x \\"y\\""}' } }, other],
      },
    ]);
  });

  it('gives reasoning one name, whichever the client has sent', () => {
    const said = { role: 'assistant' as const, content: 'a' };
    expect(canonical([{ ...said, reasoning: 'r' }])).toEqual([{ ...said, reasoning_content: 'r' }]);
    expect(canonical([{ ...said, reasoning: 'r', reasoning_content: 'r' }])).toEqual([{ ...said, reasoning_content: 'r' }]);
    expect(canonical([{ ...said, reasoning: 'r', reasoning_content: null }])).toEqual([{ ...said, reasoning_content: 'r' }]);
  });
});

const add: ClientTool = { type: 'function', function: { name: 'add' } };
const patch: ClientTool = {
  type: 'custom',
  custom: {
    name: 'patch',
    description: 'Changes files',
    format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
  },
};
const named = { type: 'function' as const, function: { name: 'patch' } };

describe('canonicalTools', () => {
  it('has a function for each custom tool, with its grammar in words', () => {
    const { tools, custom_tools } = canonicalTools({ tools: [add, patch] });
    expect(custom_tools).toEqual([patch.custom]);
    expect(tools).toEqual([
      add,
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Changes files\n\nThe input must match this grammar (lark):\nstart: "x"',
          parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
        },
      },
    ]);
  });

  it('offers the allowed tools alone, in their mode', () => {
    const allowed = (tools: ClientTool[], mode: 'auto' | 'required') =>
      canonicalTools({ tools: [add, patch], tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools } } });
    expect(allowed([add], 'required')).toMatchObject({ tools: [add], custom_tools: undefined, tool_choice: 'required' });
    expect(allowed([patch], 'auto')).toMatchObject({ tools: [named], custom_tools: [patch.custom], tool_choice: 'auto' });
  });

  it('reads any as required, as Mistral has it', () => {
    expect(canonicalTools({ tools: [add], tool_choice: 'any' })).toMatchObject({ tools: [add], tool_choice: 'required' });
  });

  it('names the function of a custom tool that must be called', () => {
    expect(canonicalTools({ tools: [patch], tool_choice: { type: 'custom', custom: { name: 'patch' } } }).tool_choice).toEqual(named);
  });

  it('passes the list on as it came where it has functions alone', () => {
    const tools = [add];
    expect(canonicalTools({ tools, tool_choice: 'auto' })).toEqual({ tools, tool_choice: 'auto' });
    expect(canonicalTools({ tools }).tools).toBe(tools);
  });

  it('calls one of the functions of the format before tools at most', () => {
    const functions = [add.function];
    const common = { tools: [add], parallel_tool_calls: false };
    expect(canonicalTools({ functions })).toEqual(common);
    expect(canonicalTools({ functions, function_call: { name: 'add' } })).toEqual({ ...common, tool_choice: add });
    expect(canonicalTools({ functions, function_call: 'none' })).toEqual({ ...common, tool_choice: 'none' });
    expect(canonicalTools({ functions: [], function_call: 'auto' })).toEqual({});
  });
});
