import { type Answer, type Chunk, segmentsOf, speedOf, withChunk } from './answer';
import { EventLines } from './event-lines';

const empty: Answer = { id: '1', column: 'a', model: 'm', state: 'waiting', text: '', reasoning: '', calls: [] };
const after = (...chunks: Chunk[]): Answer => chunks.reduce(withChunk, empty);
const delta = (fields: NonNullable<Chunk['choices']>[number]['delta']): Chunk => ({ choices: [{ delta: fields }] });

describe('An answer', () => {
  it('grows with the events of both operations', () => {
    const chat = after(
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'Good ' }),
      delta({ content: 'day' }),
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 4, completion_tokens: 2 } },
    );
    expect(chat).toEqual({ ...empty, reasoning: 'Hm.', text: 'Good day', finish: 'stop', tokens: { prompt: 4, completion: 2 } });
    expect(after({ choices: [{ text: 'Once' }] }, { choices: [{ text: ' upon', finish_reason: null }] }).text).toBe('Once upon');
    expect(after(delta({ content: null, refusal: 'No.' })).text).toBe('No.');
  });

  it('puts calls together, and keeps what a vendor wants back', () => {
    const { calls } = after(
      delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'weather', arguments: '' }, extra_content: { sign: 1 } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      delta({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'time', arguments: '{}' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
    );
    expect(calls).toEqual([
      { id: 'c1', name: 'weather', arguments: '{"city":"Bern"}', extra: { sign: 1 } },
      { id: 'c2', name: 'time', arguments: '{}' },
    ]);
  });

  it('leaves no room for calls that do not follow each other', () => {
    expect(
      after(
        delta({
          tool_calls: [
            { index: 1e9, id: 'far' },
            { index: -1, id: 'before' },
          ],
        }),
      ).calls,
    ).toEqual([]);
  });

  it('tells how fast it came, where that can be told', () => {
    const answer = { ...empty, tokens: { prompt: 1, completion: 21 }, firstTokenMs: 500, totalMs: 2_500 };
    expect(speedOf(answer)).toBe(10);
    expect(speedOf({ ...answer, totalMs: 501 })).toBeUndefined();
    expect(speedOf({ ...answer, tokens: undefined })).toBeUndefined();
  });
});

describe('segmentsOf', () => {
  it('tells code from text', () => {
    expect(segmentsOf('Look:\n```ts\nconst a = `b`;\n\nrun();\n```\n\nDone.')).toEqual([
      { kind: 'text', text: 'Look:' },
      { kind: 'code', text: 'const a = `b`;\n\nrun();' },
      { kind: 'text', text: 'Done.' },
    ]);
  });

  it('shows code before its end has come', () => {
    expect(segmentsOf('```\nconst a')).toEqual([{ kind: 'code', text: 'const a' }]);
    expect(segmentsOf('```ts')).toEqual([{ kind: 'text', text: '```ts' }]);
  });

  it('leaves all other text as it is', () => {
    const text = '<img src=x onerror=alert(1)> ```not a fence``` \n';
    expect(segmentsOf(text)).toEqual([{ kind: 'text', text }]);
    expect(segmentsOf('')).toEqual([{ kind: 'text', text: '' }]);
  });
});

const stream = ': keep-alive\n\ndata: {"a":"\u{1F600} one"}\n\ndata:{"b":2}\r\n\r\nid: 7\n\ndata: [DONE]\n\n';
const events = ['{"a":"\u{1F600} one"}', '{"b":2}', '[DONE]'];

describe('EventLines', () => {
  it('reads the same events wherever the text is cut', () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const lines = new EventLines();
      expect([...lines.push(stream.slice(0, cut)), ...lines.push(stream.slice(cut))]).toEqual(events);
    }
    const lines = new EventLines();
    expect(Array.from(stream).flatMap((character) => lines.push(character))).toEqual(events);
  });

  it('keeps the headers that come as comments', () => {
    const lines = new EventLines();
    for (const character of ': keep-alive\n\n: x-switchyard-dropped-parameters: top_k, seed\n: x-switchyard-served-by: p/m\n\n')
      expect(lines.push(character)).toEqual([]);
    expect(Object.fromEntries(lines.headers)).toEqual({
      'x-switchyard-dropped-parameters': 'top_k, seed',
      'x-switchyard-served-by': 'p/m',
    });
  });

  it('answers no event that has not ended', () => {
    const lines = new EventLines();
    expect(lines.push('data: {"a"')).toEqual([]);
    expect(lines.push(':1}\n')).toEqual(['{"a":1}']);
  });

  it('keeps no event of any length', () => {
    const lines = new EventLines();
    const megabyte = 'x'.repeat(1_000_000);
    expect(() => {
      for (let sent = 0; sent < 9; sent++) lines.push(megabyte);
    }).toThrow(RangeError);
  });
});
