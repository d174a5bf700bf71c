import type { Member, MemberRole } from './members.api';
import { isOnlyOwner, nameOf, roleName } from './roles';

const member = (user_id: string, role: MemberRole): Member => ({
  user_id,
  role,
  name: '',
  email: `${user_id}@example.com`,
  disabled: false,
  since: '2026-11-01T00:00:00.000Z',
  last_seen_at: null,
  version: '1',
});

describe('isOnlyOwner', () => {
  const ada = member('ada', 'owner');

  it('is the owner beside whom there is none', () => {
    expect(isOnlyOwner(ada, [ada])).toBe(true);
    expect(isOnlyOwner(ada, [ada, member('grace', 'owner')])).toBe(false);
  });

  it('is nobody who is no owner', () => {
    const grace = member('grace', 'admin');
    expect(isOnlyOwner(grace, [ada])).toBe(false);
  });
});

it('has a word for each role, and the address where there is no name', () => {
  expect(['owner', 'viewer', 'operator'].map(roleName)).toEqual(['Owner', 'Viewer', 'Operator']);
  expect(nameOf(member('ada', 'owner'))).toBe('ada@example.com');
});
