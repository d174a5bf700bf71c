import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { audited } from '../observability/audit/audit-log.js';
import { MemberStore } from './member-store.js';
import { PersonStore } from './person-store.js';
import { type MadeLink, SignInLinks } from './sign-in/sign-in-links.js';

/** The address of the first person, until somebody changes it. */
const EMAIL = 'owner@localhost';

export interface StarterOwner extends MadeLink {
  readonly email: string;
}

/** Makes the first person of a gateway, who is an operator and owns the first account. */
@Injectable()
export class FirstOwner {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly members: MemberStore,
    private readonly links: SignInLinks,
  ) {}

  /** @returns what signs them in, once */
  make(accountId: string): Promise<StarterOwner> {
    return this.database.change('person', async (trx, version) => {
      const deed = { actor: '', actorKind: 'nobody', action: 'first start' } as const;
      const { id } = await this.people.insert(trx, version, { email: EMAIL, name: 'Owner' });
      await this.people.update(trx, version, id, { operator: true }, audited(deed, { fields: ['role'] }));
      await this.members.put(trx, version, accountId, id, 'owner', audited(deed, { accountId, fields: ['role'] }));
      return { email: EMAIL, ...(await this.links.insert(trx, id)) };
    });
  }
}
