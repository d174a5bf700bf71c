import { Global, Module } from '@nestjs/common';
import { SessionAuthenticator } from '../auth/administration/session-authenticator.js';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { AttemptCounts } from './attempt-counts.js';
import { DashboardAddress } from './dashboard-address.js';
import { FirstOwner } from './first-owner.js';
import { InvitationStore } from './invitations/invitation-store.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { MailedInvitations } from './invitations/mailed-invitations.js';
import { Mailer } from './mail/mailer.js';
import { MemberStore } from './member-store.js';
import { OidcIdentities } from './oidc/oidc-identities.js';
import { OidcService } from './oidc/oidc.service.js';
import { Passwords } from './passwords/passwords.js';
import { PersonStore } from './person-store.js';
import { Cookies } from './sessions/cookies.js';
import { SessionStore } from './sessions/session-store.js';
import { SessionsService } from './sessions/sessions.service.js';
import { LinkRequests } from './sign-in/link-requests.js';
import { SignInLinks } from './sign-in/sign-in-links.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';

/** Global, because the guard of the administration asks for the sessions and is on a lower floor. */
@Global()
@Module({
  imports: [AuthModule, DatabaseModule],
  providers: [
    PersonStore,
    MemberStore,
    Passwords,
    Cookies,
    SessionStore,
    SessionsService,
    { provide: SessionAuthenticator, useExisting: SessionsService },
    SignInLinks,
    AttemptCounts,
    SignInThrottle,
    SignInService,
    LinkRequests,
    InvitationStore,
    InvitationsService,
    MailedInvitations,
    OidcIdentities,
    OidcService,
    DashboardAddress,
    Mailer,
    FirstOwner,
  ],
  exports: [
    AttemptCounts,
    DashboardAddress,
    FirstOwner,
    InvitationStore,
    InvitationsService,
    LinkRequests,
    MailedInvitations,
    Mailer,
    MemberStore,
    OidcService,
    PersonStore,
    SessionAuthenticator,
    SessionsService,
    SessionStore,
    SignInLinks,
    SignInService,
  ],
})
export class PeopleModule {}
