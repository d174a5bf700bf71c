import { argumentsOf } from '../../wire/custom-tool.js';
import { CustomCalls } from './custom-calls.js';

const names = new Set(['apply_patch']);
const input = '*** Begin\n"quoted" \\ back\u0007 \t é \u{1F600} {"input":"x"} end';

function read(text: string, cut: number): string {
  const calls = new CustomCalls(names);
  const first = calls.read(0, { index: 1, id: 'a', type: 'function', function: { name: 'apply_patch', arguments: text.slice(0, cut) } });
  const next = calls.read(0, { index: 1, function: { arguments: text.slice(cut) } });
  expect(first).toMatchObject({ index: 1, id: 'a', type: 'custom', custom: { name: 'apply_patch' } });
  return (
    first!.custom.input +
    next!.custom.input +
    calls
      .end(0)
      .map((left) => left.custom.input)
      .join('')
  );
}

describe('calls of custom tools', () => {
  it('have the input, wherever the arguments are cut, and however they are escaped', () => {
    const escaped = argumentsOf(input).replace('é', '\\u00e9').replace('x', '\\/');
    for (const text of [argumentsOf(input), ` { "input" : ${JSON.stringify(input)} } `]) {
      for (let cut = 0; cut <= text.length; cut++) expect(read(text, cut)).toBe(input);
    }
    expect(read(escaped, 20)).toBe(input.replace('x', '/'));
  });

  it('have what has come of an answer that was cut, and arguments of another form as they are', () => {
    expect(read('{"input":"abc\\n\\u00', 5)).toBe('abc\n');
    expect(read('{"patch":"abc"}', 5)).toBe('{"patch":"abc"}');
  });

  it('are told apart by choice and index from calls of functions', () => {
    const calls = new CustomCalls(names);
    expect(calls.read(0, { index: 0, function: { name: 'other', arguments: '{}' } })).toBeUndefined();
    calls.read(0, { index: 1, function: { name: 'apply_patch', arguments: '{"input":"a' } });
    expect(calls.read(1, { index: 1, function: { arguments: 'b"}' } })).toBeUndefined();
    expect(calls.read(0, { index: 1, function: { arguments: 'b"}' } })).toEqual({ index: 1, custom: { input: 'b' } });
  });
});
