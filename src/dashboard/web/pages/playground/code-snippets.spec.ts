import { execFileSync } from 'node:child_process';
import { IMAGE_PLACE, snippetsOf } from './code-snippets';

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
