import { canonicalTools, type ClientTool } from './client-tools.js';

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
