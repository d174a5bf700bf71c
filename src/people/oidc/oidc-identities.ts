import { Injectable } from '@nestjs/common';
import type { Transaction } from 'kysely';
import { Clock } from '../../common/time/clock.js';
import type { Schema } from '../../database/schema.js';
import { normalEmailIfAny } from '../email.js';
import { InvitationsService } from '../invitations/invitations.service.js';
import { InvitationStore } from '../invitations/invitation-store.js';
import { PersonStore } from '../person-store.js';
import type { Visit } from '../visit.js';

/** What a provider says of somebody who has signed in there. */
export interface OidcClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly email?: string | undefined;
  /** The provider says that the address is theirs. */
  readonly emailVerified: boolean;
  readonly name?: string | undefined;
}

/** Finds whose identity at a provider it is. */
@Injectable()
export class OidcIdentities {
  constructor(
    private readonly people: PersonStore,
    private readonly invitationStore: InvitationStore,
    private readonly invitations: InvitationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds a person by the identity, or else by the verified address, or makes one who is invited; open invitations of
   * a verified address are accepted. Within a change of the topic `person`.
   * @returns undefined where it is nobody's
   */
  async personOf(
    visit: Visit,
    trx: Transaction<Schema>,
    version: bigint,
    { issuer, subject, name, ...claims }: OidcClaims,
  ): Promise<string | undefined> {
    const email = claims.emailVerified ? normalEmailIfAny(claims.email ?? '') : undefined;
    const identity = await trx
      .selectFrom('oidc_identity')
      .select('person_id')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    let personId = identity?.person_id;
    if (personId === undefined && email !== undefined) {
      personId = (await this.#known(visit, trx, version, email, issuer)) ?? (await this.#invited(trx, version, email, name ?? ''));
      if (personId !== undefined)
        await trx.insertInto('oidc_identity').values({ issuer, subject, person_id: personId, created_at: this.clock.now() }).execute();
    }
    if (personId !== undefined && email !== undefined)
      for (const invitation of await this.invitationStore.useAll(trx, email))
        await this.invitations.grant(visit, trx, version, personId, invitation);
    return personId;
  }

  /**
   * A person with the address, who has had no other identity at the issuer: an address may have been given to somebody
   * else there. The first identity takes away a password and sessions, because whoever made them has not shown that the
   * address is theirs.
   */
  async #known(visit: Visit, trx: Transaction<Schema>, version: bigint, email: string, issuer: string): Promise<string | undefined> {
    const person = await trx.selectFrom('person').select('id').where('email', '=', email).executeTakeFirst();
    if (!person) return undefined;
    const issuers = await trx.selectFrom('oidc_identity').select('issuer').where('person_id', '=', person.id).execute();
    if (issuers.some((one) => one.issuer === issuer)) return undefined;
    if (issuers.length === 0) await this.invitations.takeOver(visit, trx, version, person.id);
    return person.id;
  }

  /** Makes a person for an address that nobody has, and that is invited. */
  async #invited(trx: Transaction<Schema>, version: bigint, email: string, name: string): Promise<string | undefined> {
    const invitation = await trx
      .selectFrom('invitation')
      .select('id')
      .where('email', '=', email)
      .where('expires_at', '>', BigInt(this.clock.now()))
      .limit(1)
      .executeTakeFirst();
    const taken = await trx.selectFrom('person').select('id').where('email', '=', email).executeTakeFirst();
    if (!invitation || taken) return undefined;
    return (
      await this.people.insert(trx, version, {
        email,
        name: name.replace(/\p{Cc}/gu, ' ').slice(0, 200),
      })
    ).id;
  }
}
