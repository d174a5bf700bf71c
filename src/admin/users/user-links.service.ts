import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { DashboardAddress } from '../../people/dashboard-address.js';
import { Mailer } from '../../people/mail/mailer.js';
import { signInMessage } from '../../people/mail/messages.js';
import { type MadeLink, SignInLinks } from '../../people/sign-in/sign-in-links.js';
import type { Visit } from '../../people/visit.js';
import { UsersService } from './users.service.js';

/** Links that sign people in. */
@Injectable()
export class UserLinksService {
  constructor(
    private readonly users: UsersService,
    private readonly links: SignInLinks,
    private readonly address: DashboardAddress,
    private readonly mailer: Mailer,
  ) {}

  /** @throws ApiError 404 not_found, 409 conflict for somebody who is disabled */
  async make(id: string, deed: Deed, { request }: Visit): Promise<MadeLink & { readonly link: string; readonly mailed: boolean }> {
    const { email, disabledAt } = await this.users.get(id);
    if (disabledAt !== undefined) throw new ApiError('conflict', `${email} is disabled, and no link signs them in.`);
    const made = await this.links.make(id, audited(deed, { fields: [] }));
    const link = this.address.signIn(request, made.token);
    const mailed = await this.mailer.send(signInMessage(email, link, made.expiresAt));
    return { ...made, link, mailed };
  }
}
