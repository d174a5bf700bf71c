import { areSound, exampleSchema, exampleTools, noSettings, parametersOf, type Settings, toolsOf } from './settings';

const settings = (fields: Partial<Settings>): Settings => ({ ...noSettings, ...fields });

describe('parametersOf', () => {
  it('sends what was set, and nothing else', () => {
    expect(parametersOf(noSettings, 'chat')).toEqual({});
    expect(
      parametersOf(
        settings({ numbers: { temperature: 0, seed: 7, top_p: '', presence_penalty: '-' }, stop: ['\n'], effort: ' low ' }),
        'chat',
      ),
    ).toEqual({
      temperature: 0,
      seed: 7,
      stop: ['\n'],
      reasoning_effort: 'low',
    });
  });

  it('sends tools, and how they are chosen', () => {
    const { tools, tool_choice } = parametersOf(settings({ tools: exampleTools, toolChoice: 'required' }), 'chat');
    expect(tools).toMatchObject([{ type: 'function', function: { name: 'get_weather' } }]);
    expect(tool_choice).toBe('required');
    expect(parametersOf(settings({ tools: exampleTools }), 'chat')).not.toHaveProperty('tool_choice');
    expect(parametersOf(settings({ toolChoice: 'required' }), 'chat')).toEqual({});
  });

  it('sends a schema under the name of its title', () => {
    const schema = { title: 'My list!', type: 'object' };
    const format = (text: string) => parametersOf(settings({ format: 'json_schema', schema: text }), 'chat')['response_format'];
    expect(format(JSON.stringify(schema))).toEqual({ type: 'json_schema', json_schema: { name: 'My_list_', schema, strict: true } });
    expect(format(exampleSchema)).toMatchObject({ json_schema: { name: 'answer' } });
    expect(parametersOf(settings({ format: 'json_object' }), 'chat')).toEqual({ response_format: { type: 'json_object' } });
  });

  it('sends to completions what they take', () => {
    const all = settings({ numbers: { top_p: 0.5 }, effort: 'low', tools: exampleTools, format: 'json_object', system: 'Be brief.' });
    expect(parametersOf(all, 'completion')).toEqual({ top_p: 0.5 });
  });
});

describe('toolsOf', () => {
  it('takes a function for its tool', () => {
    expect(toolsOf(settings({ tools: '{"name": "now"}' }))).toEqual([{ type: 'function', function: { name: 'now' } }]);
    expect(toolsOf(settings({ tools: ' ' }))).toEqual([]);
  });

  it.each(['[', '7', '[{"type": "function"}]', '[null]'])('says what is wrong with %s', (tools) => {
    expect(toolsOf(settings({ tools }))).toEqual(expect.any(String));
    expect(areSound(settings({ tools }))).toBe(false);
  });
});

it('asks for a schema where one is wanted', () => {
  for (const schema of ['', '{', '[]']) {
    expect(areSound(settings({ format: 'json_schema', schema }))).toBe(false);
    expect(areSound(settings({ schema }))).toBe(true);
  }
});
