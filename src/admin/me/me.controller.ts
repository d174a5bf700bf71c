import { Get } from '@nestjs/common';
import type { Administrator, AdminRole } from '../../auth/administration/administrator.js';
import { AboutItself, CurrentAdministrator } from '../../auth/administration/roles.decorator.js';
import { AdminController } from '../route.decorators.js';

export class MeView {
  /** Null for people. */
  token_id: string | null;
  /** Null for tokens. */
  user_id: string | null;
  /** Null for people who are no operators: they have a role in each of their accounts. */
  role: AdminRole | null;
  /** The account of a member's token; null for operators and people. */
  account_id: string | null;
}

/** What tokens and people are told about themselves. */
@AdminController('me')
export class MeController {
  /**
   * Shows whose token or session this is.
   * @returns the role, and the account of a member's token
   */
  @Get()
  @AboutItself()
  me(@CurrentAdministrator() { kind, id, role, accountId }: Administrator): MeView {
    if (kind === 'token') return { token_id: id, user_id: null, role, account_id: accountId ?? null };
    return { token_id: null, user_id: id, role: role === 'operator' ? role : null, account_id: null };
  }
}
