import { asByteText, type ByteText, concatBytes } from '../../wire/byte-text.js';
import type { JsonObject } from '../../wire/json-object.js';
import { EventTemplate } from './event-template.js';

const hole = { kind: 'text', path: ['delta', 'text'] } as const;

const learn = (data: string, ...more: { kind: 'noise' | 'count'; path: string[] }[]): EventTemplate | undefined =>
  EventTemplate.learn('', data, JSON.parse(data) as JsonObject, [hole, ...more]);

const wire = (...payloads: string[]): ByteText => asByteText(payloads.map((payload) => `data: ${payload}\n\n`).join(''));

describe('EventTemplate', () => {
  it('takes events that differ in their text, their noise, their counts and their padding, and no other', () => {
    const event = (text: string, noise: string, count: number, spaces = ' ', more = ''): string =>
      `{"delta":{"text":"${text}"},"p":"${noise}","usage":{"n":${count}}${more}${spaces}}`;
    const template = learn(event('a', 'x', 1), { kind: 'noise', path: ['p'] }, { kind: 'count', path: ['usage', 'n'] })!;
    const good = wire(event('b', '', 2, ''), event('c \\"d\\"', 'xyz\\n', 30, '    '));
    expect(template.run(good, 0)).toEqual({ literals: ['b', 'c \\"d\\"'], text: 'bc "d"', counts: [30], end: good.length });
    for (const other of [
      event('d', 'x', 4, '', ',"more":1'),
      event('d', 'x\t', 4),
      event('', 'x', 4),
      event('d', 'x', 4).replace('4', '04'),
    ]) {
      expect(template.run(concatBytes(good, wire(other)), 0)).toEqual(expect.objectContaining({ end: good.length, counts: [30] }));
      expect(template.run(wire(other), 0)).toBeUndefined();
    }
  });

  it('learns an event without padding as it is', () => {
    const template = learn('{"delta":{"text":"a"}}')!;
    expect(template.run(wire('{"delta":{"text":"b"}}', '{"delta":{"text":"c"}}'), 0)?.text).toBe('bc');
    expect(template.run(wire('{"delta":{"text":"b"} }'), 0)).toBeUndefined();
  });

  it('takes events of almost 10 MB, but learns nothing from them', () => {
    const long = (text: string) => `{"delta":{"text":"${text}"}}`;
    const template = learn('{"delta":{"text":"a"}}')!;
    for (const text of ['x'.repeat(9_900_000), `${'x'.repeat(9_900_000)}\\n`]) {
      expect(learn(long(text))).toBeUndefined();
      expect(template.run(wire(long(text)), 0)?.literals[0]).toHaveLength(text.length);
    }
  });

  it('learns nothing from several lines, which the bytes of no stream repeat', () => {
    expect(learn('{"delta":{"text":"a"}}')).toBeDefined();
    expect(learn('{\n"delta":{"text":"a"}}')).toBeUndefined();
  });

  it.each([
    ['twice', '{"delta":{"text":"a"},"delta":{"text":"a"}}'],
    ['elsewhere before', '{"x":{"delta":{"text":"a"}},"delta":{"text":"a"}}'],
    ['deeper before', '{"delta":{"more":{"text":"a"},"text":"a"}}'],
  ])('learns nothing where what it finds is not the text: %s', (_name, data) => {
    expect(learn(data)).toBeUndefined();
  });
});
