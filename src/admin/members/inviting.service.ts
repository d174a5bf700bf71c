import { Injectable } from '@nestjs/common';
import type { AdminRole } from '../../auth/administration/administrator.js';
import { ApiError } from '../../common/api-error.js';
import { type Page, pageInMemory, type PageQuery } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { DashboardAddress } from '../../people/dashboard-address.js';
import { normalEmail } from '../../people/email.js';
import { type Invitation, InvitationStore, type MadeInvitation } from '../../people/invitations/invitation-store.js';
import { MailedInvitations } from '../../people/invitations/mailed-invitations.js';
import { MemberStore } from '../../people/member-store.js';
import { PersonStore } from '../../people/person-store.js';
import type { Visit } from '../../people/visit.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { OnceService } from '../once.service.js';
import { found } from '../preconditions.js';
import { invitationView, type MadeInvitationView } from './member.dto.js';

/** An invitation, with the text of its link where it was made by this very request. */
type Made = Pick<MadeInvitation, 'invitation'> & Partial<MadeInvitation>;

interface Invited {
  readonly id?: string | undefined;
  readonly email: string;
  readonly role: AdminRole;
  readonly mail: boolean;
}

/** Invitations to an account, and where none is named, of operators. */
@Injectable()
export class InvitingService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly people: PersonStore,
    private readonly members: MemberStore,
    private readonly invitations: InvitationStore,
    private readonly links: DashboardAddress,
    private readonly mailed: MailedInvitations,
    private readonly once: OnceService,
  ) {}

  /** The open ones, oldest first. @throws ApiError 404 not_found, 400 invalid_request for what is no cursor */
  async page(accountId: string | undefined, query: PageQuery): Promise<Page<Invitation>> {
    return pageInMemory(await this.invitations.list(accountId), query, placeOf);
  }

  /** Makes an invitation, and mails it where that is wanted. @throws ApiError as make */
  async create(accountId: string | undefined, wanted: Invited, deed: Deed, { request }: Visit): Promise<MadeInvitationView> {
    const account = accountId === undefined ? undefined : await this.accounts.get(accountId);
    const { invitation, token } = await this.make(accountId, wanted, deed);
    if (token === undefined) return Object.assign(invitationView(invitation), { link: null, mailed: false });
    const link = this.links.invitation(request, token);
    const mailed = wanted.mail && (await this.mailed.send(invitation, account?.name, link));
    return Object.assign(invitationView(invitation), { link, mailed });
  }

  /**
   * @throws ApiError 404 not_found, also for a repetition once the invitation is open no more; 409 conflict for
   * somebody who is what they are invited to be, 429 rate_limit_exceeded where too many were mailed
   */
  make(accountId: string | undefined, { id, email, role, mail }: Invited, deed: Deed): Promise<Made> {
    return this.once.once<Made>({
      kind: 'invitation',
      prefix: 'inv',
      id,
      accountId,
      content: { email, role, mail },
      fields: ['email', 'role'],
      deed,
      make: async (made, beside) => {
        const address = normalEmail(email);
        const person = await this.people.withEmail(address);
        const already = person && (accountId === undefined ? person.operator : await this.members.find(accountId, person.id));
        if (already) throw new ApiError('conflict', `${person.email} is ${accountId === undefined ? 'an operator' : 'a member'} already.`);
        if (mail) await this.mailed.count(accountId, address);
        return this.invitations.create({ id: made, email, role, accountId }, beside);
      },
      find: async (made) => {
        const open = await this.invitations.find(accountId, made);
        return open && { invitation: open };
      },
    });
  }

  async revoke(accountId: string | undefined, id: string, deed: Deed): Promise<Invitation> {
    const log = audited(deed, { accountId, fields: [] });
    return found('invitation', id, await this.invitations.revoke(accountId, id, log));
  }
}

/** In the order of these texts older invitations come first. */
function placeOf({ createdAt, id }: Invitation): string {
  return `${String(createdAt).padStart(16, '0')} ${id}`;
}
