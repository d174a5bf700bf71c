import { Injectable } from '@nestjs/common';
import type { Deed } from '../../observability/audit/audit-log.js';
import { DashboardAddress } from '../../people/dashboard-address.js';
import { Mailer } from '../../people/mail/mailer.js';
import { signInMessage } from '../../people/mail/messages.js';
import type { Visit } from '../../people/visit.js';
import { isoTime } from '../fields.js';
import type { SignInLinkView } from './user.dto.js';
import { UsersService } from './users.service.js';

/** Links that sign people in, and are mailed to them. */
@Injectable()
export class UserLinksService {
  constructor(
    private readonly users: UsersService,
    private readonly address: DashboardAddress,
    private readonly mailer: Mailer,
  ) {}

  /** @throws ApiError 404 not_found, 409 conflict for somebody who is disabled */
  async make(id: string, deed: Deed, { request }: Visit): Promise<SignInLinkView> {
    const { email } = await this.users.get(id);
    const { token, expiresAt } = await this.users.link(id, deed);
    const link = this.address.signIn(request, token);
    const mailed = await this.mailer.send(signInMessage(email, link, expiresAt));
    return { link, expires_at: isoTime(expiresAt), mailed };
  }
}
