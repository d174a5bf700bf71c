import { Command, Option } from 'commander';
import { type MemberRole, memberRoles } from '../auth/administration/administrator.js';
import { invitationPage, signInPage } from '../people/dashboard-address.js';
import { isOldEmail } from '../people/email.js';
import type { Person } from '../people/person.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, isoTime, seenEverywhere, shortTime, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
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
    const list = await Operator.with(config, async (operator) => {
      const { store } = await operator.people();
      const all: Person[] = [];
      for (let after: string | null | undefined; after !== null;) {
        const page = await store.page({ limit: PAGE, after: after ?? undefined });
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
      const { invitation, link } = await Operator.with(config, async (operator) => {
        const accountId = name === undefined ? undefined : (await operator.account(name)).id;
        const { invitations } = await operator.people();
        const log = operator.audit('people invite', { accountId, fields: ['email', 'role'] });
        const made = await invitations.create({ email, role: role ?? 'operator', accountId }, log);
        return { ...made, link: invitationPage(await operator.origin(), made.token) };
      });
      const { id, role: as, accountId, expiresAt } = invitation;
      if (json)
        return output.json({ id, email: invitation.email, role: as, account_id: accountId ?? null, expires_at: isoTime(expiresAt), link });
      output.line`Invited ${invitation.email} as ${as}. The link works once, until ${shortTime(expiresAt)}:\n\n  ${link}\n`;
    });

  withCommonOptions(people.command('sign-in-link <email>').description('make a link that signs somebody in, once')).action(
    async (email: string, { config, json }: CommonOptions) => {
      const { link, expiresAt, person } = await Operator.with(config, async (operator) => {
        const { links } = await operator.people();
        const known = await personOf(operator, email);
        if (known.disabledAt !== undefined)
          throw new CommandError(`${known.email} is disabled, and no link signs them in: see switchyard people enable`);
        const made = await links.make(known.id, operator.audit('people sign-in-link', { fields: [] }));
        return { person: known, expiresAt: made.expiresAt, link: signInPage(await operator.origin(), made.token) };
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
        const person = await Operator.with(config, async (operator) => {
          const known = await personOf(operator, email);
          if ((known.disabledAt !== undefined) === disabled) return known;
          const { store } = await operator.people();
          const beside = operator.audit(`people ${verb}`, { fields: ['disabled'] });
          const after = await store.change(known.id, { disabled }, { beside });
          await seenEverywhere();
          return after!;
        });
        if (json) output.json(toJson(person));
        else output.line`${disabled ? 'Disabled' : 'Enabled'} ${person.email} (${person.id}).`;
      },
    );

  return people;
}

async function personOf(operator: Operator, email: string): Promise<Person> {
  const person = await (await operator.people()).store.withEmail(email);
  if (!person) throw new CommandError(`there is nobody with the address '${email}': see switchyard people list`);
  return person;
}

function toJson({ id, email, name, operator, hasPassword, disabledAt, createdAt }: Person) {
  return {
    id,
    email,
    name,
    operator,
    has_password: hasPassword,
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
    old_email: isOldEmail(email),
    created_at: isoTime(createdAt),
  };
}
