import { putLongText } from '../../../json/long-text.js';
import { unreadText } from '../../../json/testing/unread-text.js';
import type { Message } from '../../../wire/chat-completion.js';
import { marker } from '../language/documents.js';
import { messageText, partBesides, transcript } from './transcript.js';

describe('the transcript', () => {
  it('is one turn a message', () => {
    expect([
      ...transcript([
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        { role: 'tool', tool_call_id: 'c', content: '3' },
      ]),
    ]).toEqual([
      { marker: marker.system, text: 'Be kind.' },
      { marker: marker.user, text: 'Hello' },
      { marker: marker.assistant, text: 'Hi' },
      { marker: marker.tool, text: '3' },
    ]);
  });

  it('reads one text after another, and none to find what it can only mention', () => {
    const message: Message = { role: 'user' };
    putLongText(message, 'content', unreadText({}));
    const messages: Message[] = [{ role: 'system', content: 'x' }, message];
    expect(partBesides(['text'], messages)).toBeUndefined();
    expect(transcript(messages).next().value).toEqual({ marker: marker.system, text: 'x' });
    expect(() => [...transcript(messages)]).toThrow('it is decoded');
  });

  it('has the text of every kind of content', () => {
    expect(
      messageText({
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'u' } },
        ],
      }),
    ).toBe('a\n[image_url]');
    expect(messageText({ role: 'assistant', content: null, refusal: 'No.' })).toBe('No.');
    expect(messageText({ role: 'assistant' })).toBe('');
    const call = { id: 'c', type: 'function' as const, function: { name: 'add', arguments: '{"a":1}' } };
    expect(messageText({ role: 'assistant', content: null, tool_calls: [call] })).toBe('add({"a":1})');
  });
});
