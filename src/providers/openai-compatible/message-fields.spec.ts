import { keepSource, sourceBytes, sourceOf } from '../../json/json-source.js';
import { longTextAt, putLongText } from '../../json/long-text.js';
import { unreadText } from '../../json/testing/unread-text.js';
import { onlyMessageFields, withoutNames } from './message-fields.js';

describe('the fields of messages', () => {
  const body = (fields: object) => {
    const message = { role: 'user', ...fields };
    putLongText(message, 'content', unreadText({ bytes: 9 }));
    const messages = [{ role: 'system', content: 'x' }, message];
    keepSource(messages, [Buffer.alloc(100)]);
    return { model: 'm', messages };
  };

  it.each([onlyMessageFields, withoutNames])('go on as they came where none is left out: %p', (only) => {
    const given = body({ tool_call_id: 'c' });
    const kept = only(given);
    expect(kept).toBe(given);
    expect(sourceOf(kept['messages'])).toHaveLength(1);
  });

  it.each([onlyMessageFields, withoutNames])('are left out without reading a long text: %p', (only) => {
    const { messages } = only(body({ name: 'Eva' })) as { messages: [object, object] };
    expect(Object.keys(messages[1])).toEqual(['role', 'content']);
    expect(longTextAt(messages[1], 'content')).toBeDefined();
    expect([sourceOf(messages), sourceBytes(messages)]).toEqual([undefined, 100]);
  });
});
