import { areSound, exampleSchema, exampleTools, noSettings, parametersOf, type Settings, toolsOf } from './settings';
import { execFileSync } from 'node:child_process';
import { IMAGE_PLACE, snippetsOf } from './code-snippets';

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

const target = { baseUrl: 'http://127.0.0.1:1/v1', key: 'KEY', streamed: false };
const body = {
  model: 'a"b',
  messages: [{ role: 'user', content: `It's "quoted" \\ and $HOME \`id\`\nnext \u{1F600} </script>` }],
  temperature: 0.5,
  stop: [],
  response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: { 'x-y': null } } },
};
const codeOf = (id: string, request: object = body, streamed = false) =>
  snippetsOf(request, 'messages' in request ? 'chat' : 'completion', { ...target, streamed }).find((one) => one.id === id)!.code;

describe('snippetsOf', () => {
  it('writes what a shell hands to curl unchanged', () => {
    const print = codeOf('curl').replace(/^curl /, String.raw`printf '%s\0' `);
    const given = execFileSync('sh', ['-c', print], { encoding: 'utf8' }).split('\0').slice(0, -1);
    expect(given.slice(0, -1)).toEqual([
      'http://127.0.0.1:1/v1/chat/completions',
      '-H',
      'Authorization: Bearer KEY',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    expect(JSON.parse(given.at(-1)!)).toEqual(body);
  });

  it('writes JavaScript of the same request', () => {
    const [, given] = /create\(([\s\S]*)\);\nconsole/.exec(codeOf('javascript'))!;
    // oxlint-disable-next-line typescript/no-implied-eval
    expect(new Function(`return ${given}`)()).toEqual(body);
  });

  it('writes Python of the same request', () => {
    const code = codeOf('python');
    expect(code).toContain('    temperature=0.5,\n    stop=[],\n');
    expect(code).toContain('"strict": True');
    expect(code).toContain('"x-y": None');
    expect(code).toContain('print(answer.choices[0].message.content)');
  });

  it('reads what was asked for', () => {
    expect(codeOf('python', { ...body, tools: [] })).toContain('choices[0].message)');
    expect(codeOf('curl', { model: 'm', prompt: 'Once' })).toContain('/v1/completions');
    expect(codeOf('javascript', { model: 'm', prompt: 'Once' })).toContain('client.completions.create({\n  model: "m",');
    expect(codeOf('javascript', { model: 'm', prompt: 'Once' }, true)).toContain("chunk.choices[0]?.text ?? ''");
    expect(codeOf('python', body, true)).toContain('stream=True');
    expect(codeOf('curl', body, true)).toMatch(/^curl -N /);
  });

  it('names images that are too long to be read', () => {
    const url = `data:image/png;base64,${'A'.repeat(10_000)}`;
    const code = codeOf('curl', { ...body, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });
    expect(code).toContain(IMAGE_PLACE);
    expect(code.length).toBeLessThan(2_000);
  });
});
