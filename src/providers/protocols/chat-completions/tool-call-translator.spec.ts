import type { ToolCallDelta } from '../../../wire/chat-completion.js';
import { ToolCallTranslator } from './tool-call-translator.js';

const someId = expect.stringMatching(/^call_[0-9a-f]{24}$/) as string;

/** Puts the calls of a stream's deltas together, as clients do: by index, names and ids told once. */
function calls(...deltas: unknown[][]): { id: string | undefined; name: string; arguments: string }[] {
  const repair = new ToolCallTranslator();
  const result: { id: string | undefined; name: string; arguments: string }[] = [];
  const all: ToolCallDelta[] = [...deltas.flatMap((entries) => repair.read(entries, false)), ...repair.finish()];
  for (const { index, id, function: about } of all) {
    const call = (result[index] ??= { id, name: '', arguments: '' });
    call.name += about?.name ?? '';
    call.arguments += about?.arguments ?? '';
  }
  return result;
}

const fn = (name?: unknown, args?: unknown) => ({ function: { name, arguments: args } });

describe('ToolCallTranslator', () => {
  it.each([
    [
      'as OpenAI sends them',
      [[{ index: 0, id: 'a', ...fn('f', '') }], [{ index: 0, ...fn(undefined, '{"x"') }], [{ index: 0, ...fn(undefined, ':1}') }]],
      [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    ],
    [
      'with null for no arguments',
      [[{ index: 0, id: 'a', ...fn('f', 'null') }], [{ index: 1, id: 'b', ...fn('g', '') }], [{ index: 1, ...fn(undefined, 'null') }]],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
    ],
    [
      'with empty ids',
      [
        [
          { index: 0, id: '', ...fn('f', '{}') },
          { index: 1, id: '', ...fn('g', '{}') },
        ],
      ],
      [
        { id: someId, name: 'f', arguments: '{}' },
        { id: someId, name: 'g', arguments: '{}' },
      ],
    ],
    [
      'without indexes',
      [
        [
          { id: 'a', ...fn('f', '{}') },
          { id: 'b', ...fn('g', '{"y":2}') },
        ],
      ],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: 'b', name: 'g', arguments: '{"y":2}' },
      ],
    ],
    [
      'without indexes, in pieces',
      [[{ id: 'a', ...fn('f', '{"x"') }], [fn(undefined, ':1}')], [{ id: 'a', ...fn(undefined, ' ') }]],
      [{ id: 'a', name: 'f', arguments: '{"x":1} ' }],
    ],
    [
      'with the index 0 each',
      [[{ index: 0, id: 'a', ...fn('f', '{}') }], [{ index: 0, id: 'b', ...fn('g', '{}') }]],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
    ],
    [
      'with one id, told apart by their indexes',
      [
        [
          { index: 0, id: 'a', ...fn('f', '{') },
          { index: 1, id: 'a', ...fn('f', '{') },
        ],
        [{ index: 0, id: 'a', ...fn('f', '}') }],
        [{ index: 1, id: 'a', ...fn(undefined, '}') }],
      ],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: someId, name: 'f', arguments: '{}' },
      ],
    ],
    [
      'with indexes that begin anywhere',
      [[{ index: 3, id: 'a', ...fn('f', '{}') }], [{ index: 1, id: 'b', ...fn('g', '{}') }]],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
    ],
    [
      'with id and name in each piece',
      [[{ index: 0, id: 'a', ...fn('f', '{') }], [{ index: 0, id: 'a', ...fn('f', '}') }]],
      [{ id: 'a', name: 'f', arguments: '{}' }],
    ],
    [
      'with a name alone in each piece',
      [[{ index: 0, ...fn('f', '{') }], [{ index: 0, ...fn('f', '}') }]],
      [{ id: someId, name: 'f', arguments: '{}' }],
    ],
    [
      'with empty ids and names behind the first',
      [[{ index: 0, id: 'a', ...fn('f', '{') }], [{ index: 0, id: '', ...fn('', '}') }], [{ index: 0, id: null, ...fn('', '') }]],
      [{ id: 'a', name: 'f', arguments: '{}' }],
    ],
    [
      'without ids',
      [[{ index: 0, ...fn('f', '{}') }], [{ index: 1, id: '', ...fn('g', '{}') }]],
      [
        { id: someId, name: 'f', arguments: '{}' },
        { id: someId, name: 'g', arguments: '{}' },
      ],
    ],
    [
      'with an id that comes late',
      [[{ index: 0, ...fn('f', '{') }], [{ index: 0, id: 'a', ...fn('f', '}') }]],
      [{ id: someId, name: 'f', arguments: '{}' }],
    ],
    [
      'with arguments of null, an object, nothing',
      [
        [
          { index: 0, id: 'a', ...fn('f', null) },
          { index: 1, id: 'b', ...fn('g', { y: 2 }) },
          { index: 2, id: 'c', function: { name: 'h' } },
        ],
      ],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: 'b', name: 'g', arguments: '{"y":2}' },
        { id: 'c', name: 'h', arguments: '{}' },
      ],
    ],
    [
      'with a name behind id and arguments',
      [[{ index: 0, id: 'a', ...fn('', '{"x"') }], [{ index: 1, id: 'b', ...fn('g', '{}') }], [{ index: 0, ...fn('f', ':1}') }]],
      [
        { id: 'b', name: 'g', arguments: '{}' },
        { id: 'a', name: 'f', arguments: '{"x":1}' },
      ],
    ],
    [
      'with the index 0 each, told apart by their names',
      [[{ index: 0, ...fn('f', '{}') }], [{ index: 0, ...fn('g', '{}') }]],
      [
        { id: someId, name: 'f', arguments: '{}' },
        { id: someId, name: 'g', arguments: '{}' },
      ],
    ],
    [
      'with an id that comes late and stands alone then',
      [[{ index: 0, ...fn('f', '{') }], [{ index: 1, ...fn('g', '{') }], [{ index: 0, id: 'a' }], [{ id: 'a', ...fn('', '}') }]],
      [
        { id: someId, name: 'f', arguments: '{}' },
        { id: someId, name: 'g', arguments: '{' },
      ],
    ],
    ['that say nothing', [[{}, { index: 0, id: 'a', type: 'function', ...fn('', '') }], [{ index: 1, ...fn(null, '{}') }]], []],
    ['among other things', [[null, 'x', { index: 0, id: 'a', ...fn('f', '{}') }]], [{ id: 'a', name: 'f', arguments: '{}' }]],
  ] as [string, unknown[][], object[]][])('reads calls %s', (_name, deltas, expected) => expect(calls(...deltas)).toEqual(expected));

  it('carries what has to survive to the next turn', () => {
    const extra_content = { google: { thought_signature: 's' } };
    expect(new ToolCallTranslator().read([{ id: 'a', extra_content, ...fn('f', '{}') }], true)).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content },
    ]);
    const pieces = new ToolCallTranslator();
    expect(
      pieces.read(
        [
          { index: 0, id: 'a', extra_content },
          { index: 0, ...fn('', '{') },
          { index: 0, ...fn('f', '}') },
        ],
        false,
      ),
    ).toEqual([{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content }]);
  });

  it('has an empty object for no arguments in a whole answer', () => {
    const translator = new ToolCallTranslator();
    expect(translator.read([{ id: 'a', ...fn('f', '') }], true)).toMatchObject([{ function: { arguments: '{}' } }]);
    expect(translator.finish()).toEqual([]);
  });

  it('takes each call of a whole answer for one of its own, whatever its id', () => {
    const call = { id: 'a', ...fn('f', '{}') };
    expect(new ToolCallTranslator().read([call, call], true)).toEqual([
      { index: 0, type: 'function', ...call },
      { index: 1, type: 'function', ...call, id: someId },
    ]);
  });

  it.each([true, false])('fails where arguments have no name (whole: %s)', (whole) => {
    const translator = new ToolCallTranslator();
    expect(translator.read([{ index: 0, id: 'a', ...fn('', '{"x":1}') }], whole)).toEqual([]);
    expect(() => translator.finish()).toThrow(expect.objectContaining({ kind: 'bad_response' }));
  });
});
