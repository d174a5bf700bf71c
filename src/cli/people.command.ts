import { Command, Option } from 'commander';
import { userView } from '../admin/users/user.dto.js';
import { type MemberRole, memberRoles } from '../auth/administration/administrator.js';
import { invitationPage, signInPage } from '../people/dashboard-address.js';
import { InvitationStore } from '../people/invitations/invitation-store.js';
import { isOldEmail } from '../people/email.js';
import type { Person } from '../people/person.js';
import { PersonStore } from '../people/person-store.js';
import { SignInLinks } from '../people/sign-in/sign-in-links.js';
import { administer } from './administer.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, isoTime, seenEverywhere, shortTime, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';

interface InviteOptions extends CommonOptions {
  account?: string;
  role?: MemberRole;
  operator?: boolean;
}

/** People that `list` shows at most in one page of the store. */
const PAGE = 200;

export function peopleCommand(output: Output): Command {
  const people = new Command('people').description('who signs in to the dashboard; links are shown once, when they are made');

  withCommonOptions(people.command('list').description('list all people, oldest first')).action(async ({ config, json }: CommonOptions) => {
    const list = await administer({ config }, 'people list', async (admin) => {
      const all: Person[] = [];
      for (let after: string | null | undefined; after !== null;) {
        const page = await admin.users.page({ limit: PAGE, after: after ?? undefined });
        all.push(...page.data);
        after = page.next;
      }
      return all;
    });
    if (json) return output.json(list.map(toJson));
    output.table(
      ['id', 'email', 'name', 'operator', 'password', 'status', 'created'],
      list.map(({ id, email, name, operator, hasPassword, disabledAt, createdAt }) => [
        id,
        email,
        name,
        operator ? 'yes' : 'no',
        hasPassword ? 'yes' : 'no',
        `${disabledAt === undefined ? 'active' : 'disabled'}${isOldEmail(email) ? ', old address' : ''}`,
        shortTime(createdAt),
      ]),
    );
  });

  withCommonOptions(people.command('invite <email>').description('make a link by which somebody joins an account, or becomes an operator'))
    .addOption(accountOption())
    .addOption(new Option('-r, --role <role>', 'what they are in the account').choices(memberRoles))
    .option('--operator', 'may do everything')
    .action(async (email: string, { config, json, account: name, role, operator: all }: InviteOptions) => {
      if ((all === true) === (name !== undefined) || (name === undefined) !== (role === undefined))
        throw new CommandError('give either --account and --role, or --operator');
      const { invitation, link } = await administer({ config }, 'people invite', async (admin) => {
        const accountId = await admin.accountId(name);
        const log = admin.audit({ accountId, fields: ['email', 'role'] });
        const made = await admin.get(InvitationStore).create({ email, role: role ?? 'operator', accountId }, log);
        return { ...made, link: invitationPage(await admin.origin(), made.token) };
      });
      const { id, role: as, accountId, expiresAt } = invitation;
      if (json)
        return output.json({ id, email: invitation.email, role: as, account_id: accountId ?? null, expires_at: isoTime(expiresAt), link });
      output.line`Invited ${invitation.email} as ${as}. The link works once, until ${shortTime(expiresAt)}:\n\n  ${link}\n`;
    });

  withCommonOptions(people.command('sign-in-link <email>').description('make a link that signs somebody in, once')).action(
    async (email: string, { config, json }: CommonOptions) => {
      const { link, expiresAt, person } = await administer({ config }, 'people sign-in-link', async (admin) => {
        const known = await personOf(admin, email);
        if (known.disabledAt !== undefined)
          throw new CommandError(`${known.email} is disabled, and no link signs them in: see switchyard people enable`);
        const made = await admin.get(SignInLinks).make(known.id, admin.audit({ fields: [] }));
        return { person: known, expiresAt: made.expiresAt, link: signInPage(await admin.origin(), made.token) };
      });
      if (json) return output.json({ id: person.id, email: person.email, expires_at: isoTime(expiresAt), link });
      output.line`The link signs ${person.email} in once, until ${shortTime(expiresAt)}:\n\n  ${link}\n`;
    },
  );

  for (const [verb, disabled, description] of [
    ['disable', true, 'sign somebody out everywhere, and let them in no more'],
    ['enable', false, 'let somebody in again'],
  ] as const)
    withCommonOptions(people.command(`${verb} <email>`).description(description)).action(
      async (email: string, { config, json }: CommonOptions) => {
        const person = await administer({ config }, `people ${verb}`, async (admin) => {
          const { id } = await personOf(admin, email);
          const after = await admin.users.change(id, { disabled }, admin.by);
          await seenEverywhere();
          return after;
        });
        if (json) output.json(toJson(person));
        else output.line`${disabled ? 'Disabled' : 'Enabled'} ${person.email} (${person.id}).`;
      },
    );

  return people;
}

async function personOf(admin: Administration, email: string): Promise<Person> {
  const person = await admin.get(PersonStore).withEmail(email);
  if (!person) throw new CommandError(`there is nobody with the address '${email}': see switchyard people list`);
  return person;
}

function toJson(person: Person) {
  const { email, disabledAt } = person;
  return Object.assign(userView(person), {
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
    old_email: isOldEmail(email),
  });
}
