import { Get } from '@nestjs/common';
import type { Administrator, AdminRole } from '../../auth/administration/administrator.js';
import { AboutItself, CurrentAdministrator } from '../../auth/administration/roles.decorator.js';
import { AdminController } from '../admin-controller.decorator.js';

export class MeView {
  token_id: string;
  role: AdminRole;
  /** Null for operators. */
  account_id: string | null;
}

/** What a token is told about itself. */
@AdminController('me')
export class MeController {
  /**
   * Shows whose token this is.
   * @returns the role, and the account of a member
   */
  @Get()
  @AboutItself()
  me(@CurrentAdministrator() { tokenId, role, accountId }: Administrator): MeView {
    return { token_id: tokenId, role, account_id: accountId ?? null };
  }
}
