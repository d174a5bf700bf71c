import { keepSource } from '../../../wire/json-source.js';
import { toJson } from './to-json.js';

const sent = (body: Record<string, unknown>): string => toJson(body).toString();

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

  it('writes a member that was made anew', () => {
    const messages = [{ role: 'user', content: 'x' }];
    keepSource(messages, [Buffer.from('[]')]);
    expect(toJson({ model: 'theirs', messages: [...messages] })).toBe('{"model":"theirs","messages":[{"role":"user","content":"x"}]}');
  });
});
