import { Command, Option } from 'commander';
import { invitationView } from '../admin/members/member.dto.js';
import { userView } from '../admin/users/user.dto.js';
import { type MemberRole, memberRoles } from '../auth/administration/administrator.js';
import { invitationPage, signInPage } from '../people/dashboard-address.js';
import { isOldEmail } from '../people/email.js';
import type { Person } from '../people/person.js';
import { PersonStore } from '../people/person-store.js';
import { administering } from './administer.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { accountOption, type AccountOption, isoTime, shortTime } from './common-options.js';
import type { Output } from './output.js';

interface InviteOptions extends AccountOption {
  role?: MemberRole;
  operator?: boolean;
}

/** People that `list` shows at most in one page of the store. */
const PAGE = 200;

export function peopleCommand(output: Output): Command {
  const administers = administering(output);
  const people = new Command('people').description('who signs in to the dashboard; links are shown once, when they are made');

  administers(people.command('list').description('list all people, oldest first'), async (admin) => {
    const all: Person[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await admin.users.page({ limit: PAGE, after: after ?? undefined });
      all.push(...page.data);
      after = page.next;
    }
    return output.list(all.map(view), {
      id: 'id',
      email: 'email',
      name: 'name',
      operator: ({ operator }) => (operator ? 'yes' : 'no'),
      password: ({ has_password }) => (has_password ? 'yes' : 'no'),
      status: ({ disabled, old_email }) => `${disabled ? 'disabled' : 'active'}${old_email ? ', old address' : ''}`,
      created: ({ created_at }) => shortTime(created_at),
    });
  });

  const invite = people
    .command('invite <email>')
    .description('make a link by which somebody joins an account, or becomes an operator')
    .addOption(accountOption())
    .addOption(new Option('-r, --role <role>', 'what they are in the account').choices(memberRoles))
    .option('--operator', 'may do everything');
  administers(invite, async (admin, { account, role, operator }: InviteOptions, email: string) => {
    if ((operator === true) === (account !== undefined) || (account === undefined) !== (role === undefined))
      throw new CommandError('give either --account and --role, or --operator');
    const accountId = await admin.accountId(account);
    const { invitation, token } = await admin.inviting.make(accountId, { email, role: role ?? 'operator', mail: false }, admin.by);
    const link = invitationPage(await admin.origin(), token!);
    const until = shortTime(invitation.expiresAt);
    const answer = output.says(Object.assign(invitationView(invitation), { link }));
    return answer`Invited ${invitation.email} as ${invitation.role}. The link works once, until ${until}:\n\n  ${link}\n`;
  });

  const signInLink = people.command('sign-in-link <email>').description('make a link that signs somebody in, once');
  administers(signInLink, async (admin, _options, email: string) => {
    const { id, email: address, disabledAt } = await personOf(admin, email);
    if (disabledAt !== undefined) throw new CommandError(`${address} is disabled, and no link signs them in: see switchyard people enable`);
    const { token, expiresAt } = await admin.users.link(id, admin.by);
    const link = signInPage(await admin.origin(), token);
    const answer = output.says({ id, email: address, expires_at: isoTime(expiresAt), link });
    return answer`The link signs ${address} in once, until ${shortTime(expiresAt)}:\n\n  ${link}\n`;
  });

  for (const [verb, disabled, description] of [
    ['disable', true, 'sign somebody out everywhere, and let them in no more'],
    ['enable', false, 'let somebody in again'],
  ] as const)
    administers(people.command(`${verb} <email>`).description(description), async (admin, _options, email: string) => {
      const { id } = await personOf(admin, email);
      const person = view(await admin.inForce(admin.users.change(id, { disabled }, admin.by)));
      return output.says(person)`${disabled ? 'Disabled' : 'Enabled'} ${person.email} (${id}).`;
    });

  return people;
}

async function personOf(admin: Administration, email: string): Promise<Person> {
  const person = await admin.get(PersonStore).withEmail(email);
  if (!person) throw new CommandError(`there is nobody with the address '${email}': see switchyard people list`);
  return person;
}

function view(person: Person) {
  const { email, disabledAt } = person;
  return Object.assign(userView(person), {
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
    old_email: isOldEmail(email),
  });
}
