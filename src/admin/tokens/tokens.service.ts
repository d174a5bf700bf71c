import { Injectable } from '@nestjs/common';
import { type AdminToken, AdminTokenStore, type MadeAdminToken } from '../../auth/administration/admin-token-store.js';
import type { AdminRole } from '../../auth/administration/administrator.js';
import type { Page, PageQuery } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { timeToCome } from '../fields.js';
import { OnceService } from '../once.service.js';
import { found, refusals } from '../refusals.js';
import type { CreateTokenDto } from './token.dto.js';

/** A token, with its full text where it was made by this very request. */
type Made = Pick<MadeAdminToken, 'adminToken'> & Partial<MadeAdminToken>;

/** The tokens of operators, where no account is named, and those of the members of an account. */
@Injectable()
export class TokensService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly tokens: AdminTokenStore,
    private readonly once: OnceService,
  ) {}

  async page(accountId: string | undefined, query: PageQuery): Promise<Page<AdminToken>> {
    if (accountId !== undefined) await this.accounts.get(accountId);
    return refusals(() => this.tokens.page(accountId, query));
  }

  async create(accountId: string | undefined, role: AdminRole, { id, label, expires_at }: CreateTokenDto, deed: Deed): Promise<Made> {
    if (accountId !== undefined) await this.accounts.get(accountId);
    return this.once.once<Made>({
      kind: 'token',
      prefix: 'tok',
      id,
      accountId,
      content: { role, label, expires_at },
      deed,
      make: async (made, beside) => {
        const expiresAt = timeToCome(expires_at) ?? undefined;
        return this.tokens.create({ id: made, role, accountId, label, expiresAt }, beside);
      },
      find: async (made) => {
        const adminToken = await this.tokens.find(made);
        return adminToken && { adminToken };
      },
    });
  }

  /** @throws ApiError 404 not_found where the token is another's */
  async revoke(accountId: string | undefined, id: string, deed: Deed): Promise<AdminToken> {
    const known = await refusals(() => this.tokens.find(id));
    const token = found('token', id, known?.accountId === accountId ? known : undefined);
    if (token.revokedAt !== undefined) return token;
    const ended = await refusals(() => this.tokens.revoke(id, audited(deed, { accountId, fields: ['revoked_at'] })));
    return found('token', id, ended);
  }
}
