import { type AdminRole, type MemberRole, memberRoles } from '../auth/administration/administrator.js';
import { ApiError } from '../common/api-error.js';

/**
 * The role that comes with a token or an invitation.
 * @param role of a member of the account; operators, who are in none, name no role
 * @throws ApiError 400 invalid_request
 */
export function roleIn(accountId: string | undefined, role: MemberRole | undefined): AdminRole {
  if ((accountId === undefined) === (role === undefined)) return role ?? 'operator';
  const reason = accountId === undefined ? 'property role should not exist' : `role must be one of ${memberRoles.join(', ')}`;
  throw new ApiError('invalid_request', reason);
}
