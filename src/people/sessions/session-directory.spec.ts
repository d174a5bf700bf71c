import { SessionDirectory } from './session-directory.js';

describe('the people in memory', () => {
  const somebody = { id: 'person', operator: 0n, disabled_at: null };
  const membership = { account_id: 'account', person_id: 'person', role: 'owner' as const };
  const directory = new SessionDirectory();

  it('are those who are operators or members of accounts, as long as they are', () => {
    for (const [operator, memberships] of [
      [0n, [membership]],
      [1n, []],
    ] as const) {
      directory.update([{ ...somebody, operator }], memberships, []);
      expect(directory.hasPeople).toBe(true);
      directory.update([somebody], [], []);
      expect(directory.hasPeople).toBe(false);
    }
    expect(directory.person('person')).toEqual({ id: 'person', operator: false, memberships: new Map() });
  });
});
