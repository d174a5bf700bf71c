import { jest } from '@jest/globals';
import { hasText, longTextAt, putLongText, textBytes } from './long-text.js';

function holder() {
  const decode = jest.fn(() => 'long é');
  const message: Record<string, unknown> = { role: 'user', content: '' };
  putLongText(message, 'content', { bytes: 7, decode });
  return { message, decode };
}

describe('a long text', () => {
  it('is decoded once, when it is read', () => {
    const { message, decode } = holder();
    expect([hasText(message, 'content'), textBytes(message, 'content')]).toEqual([true, 7]);
    expect(decode).not.toHaveBeenCalled();
    expect(JSON.stringify([message, { ...message }])).toBe('[{"role":"user","content":"long é"},{"role":"user","content":"long é"}]');
    expect(decode).toHaveBeenCalledTimes(1);
    expect(longTextAt(message, 'content')).toBeUndefined();
    expect(Object.keys({ ...message })).toEqual(['role', 'content']);
  });

  it('is decoded at once where texts of that name are seldom long', () => {
    const message: Record<string, unknown> = { name: '' };
    putLongText(message, 'name', { bytes: 7, decode: () => 'long é' });
    expect([longTextAt(message, 'name'), hasText(message, 'name'), textBytes(message, 'name')]).toEqual([undefined, true, 7]);
    expect(Object.getOwnPropertyDescriptor(message, 'name')).toEqual({
      value: 'long é',
      writable: true,
      enumerable: true,
      configurable: true,
    });
  });

  it('is replaced by what is assigned', () => {
    const { message } = holder();
    message['content'] = null;
    expect([message['content'], hasText(message, 'content'), textBytes(message, 'content')]).toEqual([null, false, 0]);
  });
});
