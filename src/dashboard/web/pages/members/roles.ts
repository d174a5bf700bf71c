import type { Member, MemberRole } from './members.api';

export interface RoleInWords {
  readonly value: MemberRole;
  readonly label: string;
  readonly description: string;
}

/** What members may do, each all that those below may. */
export const roles: readonly RoleInWords[] = [
  { value: 'owner', label: 'Owner', description: 'Members, their roles and tokens of the administration' },
  { value: 'admin', label: 'Admin', description: 'Projects, rules and limits of keys, alerts, the audit log' },
  { value: 'developer', label: 'Developer', description: 'Makes, rotates and revokes keys, and tries models out' },
  { value: 'viewer', label: 'Viewer', description: 'Sees keys, requests, credits and members, and changes nothing' },
];

export const roleName = (role: string): string => roles.find(({ value }) => value === role)?.label ?? 'Operator';

/** Whether somebody cannot leave or become less, because no other owner would be left. */
export const isOnlyOwner = (member: Member, owners: readonly Member[]): boolean =>
  member.role === 'owner' && owners.every(({ user_id }) => user_id === member.user_id);

/** What stands first for somebody: the name, or the address where there is none. */
export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string => name || email;
