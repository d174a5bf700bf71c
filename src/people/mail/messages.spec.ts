import { invitationMessage, lowBalanceMessage } from './messages.js';

const name = '\u202eround\r\nBcc: x';
const shown = '\\u202eround Bcc: x';

describe('Messages', () => {
  it('show what in a name would turn or end a line of theirs', () => {
    const low = { accountName: name, environment: 'live', balance: '1', below: '2' };
    const messages = [
      invitationMessage({ email: 'ada@example.com', role: 'owner', expiresAt: 0 } as never, name, 'link'),
      lowBalanceMessage('ada@example.com', low, 'page'),
    ];
    for (const { subject, text } of messages) {
      expect(subject).toContain(shown);
      expect(text).toContain(shown);
      expect(subject + text).not.toMatch(/[\p{Bidi_Control}\r]/u);
    }
  });
});
