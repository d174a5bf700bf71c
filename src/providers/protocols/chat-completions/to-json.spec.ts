import { changedFrom, keepSource } from '../../../json/json-source.js';
import { LargeBody } from '../../transport/large-body.js';
import { toJson } from './to-json.js';

const sent = (body: Record<string, unknown>): string => (toJson(body) as string | Buffer).toString();

describe('toJson', () => {
  it('sends on the bytes that a member came in', () => {
    const messages = [{ role: 'user', content: 'é' }];
    const tools = [{ type: 'function', function: { name: 'f' } }];
    keepSource(messages, [Buffer.from('[ {"role":"user",'), Buffer.from('"content":"\\u00e9"} ]')]);
    expect(sent({ model: 'theirs', messages, tools, n: undefined, stop: ['a'] })).toBe(
      '{"model":"theirs","tools":[{"type":"function","function":{"name":"f"}}],"stop":["a"],"messages":[ {"role":"user","content":"\\u00e9"} ]}',
    );
    keepSource(tools, [Buffer.from('[{}]')]);
    expect(JSON.parse(sent({ model: 'theirs', messages, tools }))).toEqual({ model: 'theirs', messages, tools: [{}] });
  });

  it('makes a large body of a long prompt in pieces', () => {
    const body = { model: 'theirs', prompt: '\n'.repeat(1_500_000) };
    const large = toJson(body) as LargeBody;
    expect(large).toBeInstanceOf(LargeBody);
    expect(Buffer.concat(large.bytes()).toString() === JSON.stringify(body)).toBe(true);
  });

  it('makes a large body when it is sent', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(100_000) }];
    const source = JSON.stringify(messages, null, 2);
    keepSource(messages, [Buffer.from(source.slice(0, 50_000)), Buffer.from(source.slice(50_000))]);
    const body = toJson({ model: 'theirs', messages }) as LargeBody;
    expect(body).toBeInstanceOf(LargeBody);
    let json = '';
    for await (const bytes of body) json += Buffer.from(bytes).toString();
    expect(json).toBe(`{"model":"theirs","messages":${source}}`);
    expect(body.length).toBe(json.length);
  });

  it('writes names that have to be escaped', () => {
    const name = '":1,"model":"dearer';
    const documents = ['x'];
    keepSource(documents, [Buffer.from('["x"]')]);
    expect(JSON.parse(sent({ model: 'theirs', [name]: documents }))).toEqual({ model: 'theirs', [name]: ['x'] });
  });

  it('makes a large body of which much was changed in pieces', async () => {
    const rest = Array.from({ length: 1_000 }, () => ({ role: 'user', content: 'x'.repeat(1_000) }));
    const messages = [{ role: 'user', content: 'é' }, ...rest];
    keepSource(messages, [Buffer.alloc(1024 * 1024)]);
    const changed = changedFrom(messages, [...messages, { role: 'user', content: 'y' }]);
    const body = toJson({ model: 'theirs', messages: changed }) as LargeBody;
    expect(body).toBeInstanceOf(LargeBody);
    const json = Buffer.concat(body.bytes()).toString();
    const others = JSON.stringify([...rest, { role: 'user', content: 'y' }]).slice(1);
    expect(json).toBe(`{"model":"theirs","messages":[{"role":"user","content":"é"},${others}}`);
  });

  it('writes a member that was made anew', () => {
    const messages = [{ role: 'user', content: 'x' }];
    keepSource(messages, [Buffer.from('[]')]);
    expect(toJson({ model: 'theirs', messages: [...messages] })).toBe('{"model":"theirs","messages":[{"role":"user","content":"x"}]}');
  });
});
