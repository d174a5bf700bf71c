import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import type { Page, SearchQuery } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { normalEmail } from '../../people/email.js';
import { nameOf, type Person } from '../../people/person.js';
import { PersonStore } from '../../people/person-store.js';
import { type MadeLink, SignInLinks } from '../../people/sign-in/sign-in-links.js';
import { difference, requireChanged } from '../changes.js';
import type { Change } from '../route.decorators.js';
import { found } from '../preconditions.js';
import type { ChangeUserDto } from './user.dto.js';

/** All people of the gateway, for its operators. */
@Injectable()
export class UsersService {
  constructor(
    private readonly people: PersonStore,
    private readonly links: SignInLinks,
  ) {}

  page(query: SearchQuery, operators = false): Promise<Page<Person>> {
    return this.people.page(query, { operators });
  }

  /** @throws ApiError 404 not_found */
  async get(id: string): Promise<Person> {
    return found('user', id, await this.people.find(id));
  }

  async change(id: string, { email, name, disabled }: ChangeUserDto, by: Change): Promise<Person> {
    const person = await this.get(id);
    const wanted = {
      // One that was stored before such ones were refused may stay.
      email: email === undefined || email === person.email ? undefined : normalEmail(email),
      name: name === undefined ? undefined : nameOf(name),
      disabled,
    };
    const now = { ...person, disabled: person.disabledAt !== undefined };
    const differs = difference(now, wanted, by);
    return differs ? requireChanged(await this.people.change(id, differs.fields, differs.options)) : person;
  }

  /** @throws ApiError 404 not_found, 409 conflict for somebody who is disabled */
  async link(id: string, deed: Deed): Promise<MadeLink> {
    const { email, disabledAt } = await this.get(id);
    if (disabledAt !== undefined) throw new ApiError('conflict', `${email} is disabled, and no link signs them in.`);
    return this.links.make(id, audited(deed, { fields: [] }));
  }

  /** @throws ApiError 404 not_found where there is no such operator, 400 invalid_request for the last one */
  async dismiss(id: string, deed: Deed): Promise<Person> {
    const known = await this.get(id);
    found('operator', id, known.operator ? known : undefined);
    const beside = audited(deed, { fields: ['operator'] });
    return found('operator', id, await this.people.change(id, { operator: false }, { beside }));
  }
}
