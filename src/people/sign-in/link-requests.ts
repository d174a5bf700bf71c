import { Injectable, Logger } from '@nestjs/common';
import { deedOfNobody } from '../../auth/administration/deed.decorator.js';
import { ApiError } from '../../common/api-error.js';
import { messageOf } from '../../common/message-of.js';
import { ConfigService } from '../../config/config.service.js';
import { knownOrigin } from '../../config/dashboard-origin.js';
import { Database } from '../../database/database.js';
import { audited } from '../../observability/audit/audit-log.js';
import { signInPage } from '../dashboard-address.js';
import { emailToFind, typedEmail } from '../email.js';
import { Mailer } from '../mail/mailer.js';
import { signInMessage } from '../mail/messages.js';
import type { PersonRow } from '../person.js';
import { PersonStore } from '../person-store.js';
import type { Visit } from '../visit.js';
import { SignInLinks } from './sign-in-links.js';
import { SignInThrottle } from './sign-in-throttle.js';

/** Sends links to people who have forgotten their password. */
@Injectable()
export class LinkRequests {
  readonly #logger = new Logger('People');

  constructor(
    private readonly config: ConfigService,
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly links: SignInLinks,
    private readonly throttle: SignInThrottle,
    private readonly mailer: Mailer,
  ) {}

  /** Whether links are sent. The address in them is that of the configuration: a stranger's request could name any. */
  get areTaken(): boolean {
    return this.mailer.isConfigured;
  }

  /**
   * Answers the same, at the same time, whether or not somebody has the address: who it is for is looked up afterwards.
   * @throws ApiError 404 not_found where none are sent, 429 rate_limit_exceeded
   */
  async take({ request }: Visit, email: string): Promise<void> {
    if (!this.areTaken) throw new ApiError('not_found', 'This gateway sends no links by mail. An operator can make one.');
    const address = emailToFind(typedEmail(email));
    await this.throttle.countLinkRequest(request.clientAddress ?? '', address ?? '');
    if (address === undefined) return;
    this.#send(request, address).catch((error: unknown) => this.#logger.warn(`A link could not be made: ${messageOf(error)}`));
  }

  async #send(request: Visit['request'], email: string): Promise<void> {
    const person = await this.people.rowWithEmail(email);
    if (!person || person.disabled_at !== null || !(await this.#hasPassword(person))) return;
    const beside = audited(deedOfNobody(request), { fields: [] });
    const { token, expiresAt } = await this.links.make(person.id, beside, true);
    await this.mailer.send(signInMessage(email, signInPage(knownOrigin(this.config.current)!, token), expiresAt));
  }

  /** Whoever has an identity and no password signs in there: a link would be a way around what is asked for there. */
  async #hasPassword({ id, password }: PersonRow): Promise<boolean> {
    if (password !== null) return true;
    const identities = this.database.db.selectFrom('oidc_identity').select('issuer').where('person_id', '=', id);
    return (await identities.limit(1).executeTakeFirst()) === undefined;
  }
}
