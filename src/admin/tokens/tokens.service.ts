import { Injectable } from '@nestjs/common';
import { type AdminToken, AdminTokenStore, type MadeAdminToken } from '../../auth/administration/admin-token-store.js';
import type { AdminRole } from '../../auth/administration/administrator.js';
import { ApiError } from '../../common/api-error.js';
import type { Page, PageQuery } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { timeToCome } from '../fields.js';
import { OnceService } from '../once.service.js';
import { found } from '../preconditions.js';
import type { CreateTokenDto } from './token.dto.js';

/** What the ids of people begin with: the key of the playground is that of a person or a token by the id alone. */
const OF_PEOPLE = 'usr_';

/** A token, with its full text where it was made by this very request. */
type Made = Pick<MadeAdminToken, 'adminToken'> & Partial<MadeAdminToken>;

/** The tokens of operators, where no account is named, and those of the members of an account. */
@Injectable()
export class TokensService {
  constructor(
    private readonly tokens: AdminTokenStore,
    private readonly once: OnceService,
  ) {}

  page(accountId: string | undefined, query: PageQuery): Promise<Page<AdminToken>> {
    return this.tokens.page(accountId, query);
  }

  /** @throws ApiError 400 invalid_request, 404 not_found, 409 conflict */
  async create(accountId: string | undefined, role: AdminRole, { id, label, expires_at }: CreateTokenDto, deed: Deed): Promise<Made> {
    if (id?.startsWith(OF_PEOPLE)) throw new ApiError('invalid_request', `id must not begin with ${OF_PEOPLE}, as the ids of people do`);
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
    const known = await this.tokens.find(id);
    const token = found('token', id, known?.accountId === accountId ? known : undefined);
    if (token.revokedAt !== undefined) return token;
    const ended = await this.tokens.revoke(id, audited(deed, { accountId, fields: ['revoked_at'] }));
    return found('token', id, ended);
  }
}
