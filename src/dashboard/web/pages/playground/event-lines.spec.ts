import { EventLines } from './event-lines';

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
