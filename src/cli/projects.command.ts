import { Command } from 'commander';
import { ChangeKeyHolderDto, CreateKeyHolderDto } from '../admin/key-holder.dto.js';
import { projectView } from '../admin/projects/project.dto.js';
import { type Project, ProjectStore } from '../auth/project-store.js';
import { administering } from './administer.js';
import type { Administration } from './administration.js';
import { accountOption, type AccountOption, body, shortTime } from './common-options.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

export function projectsCommand(output: Output): Command {
  const administers = administering(output);
  const projects = new Command('projects').description('keys of an account that share rules, limits and budgets');

  const create = withRulesOptions(projects.command('create <name>').description('make a project')).addOption(
    accountOption().makeOptionMandatory(),
  );
  administers(create, async (admin, options: RulesOptions & { account: string }, name: string) => {
    const rules = rulesOf(options);
    const { id } = await admin.account(options.account);
    const project = view(await admin.projects.create(id, body(CreateKeyHolderDto, { name, rules }), admin.by));
    return output.says(project)`Created project ${project.name} (${project.id}).`;
  });

  const listed = projects.command('list').description('list the projects, oldest first').addOption(accountOption());
  administers(listed, async (admin, { account }: AccountOption) => {
    const list = await admin.get(ProjectStore).list(await admin.accountId(account));
    const names = await admin.accountNames();
    return output.list(list.map(view), {
      project: 'id',
      name: 'name',
      account: ({ account_id }) => names.get(account_id),
      status: 'status',
      created: ({ created_at }) => shortTime(created_at),
      rules: ({ rules }) => (Object.keys(rules).length > 0 ? JSON.stringify(rules) : undefined),
    });
  });

  const change = withRulesOptions(projects.command('change <project>').description('change the name or the rules of a project'))
    .addOption(accountOption())
    .option('-n, --name <name>', 'another name');
  administers(change, async (admin, options: AccountOption & RulesOptions & { name?: string }, idOrName: string) => {
    const { id, accountId, rules: before } = await projectOf(admin, idOrName, options);
    const wanted = body(ChangeKeyHolderDto, { name: options.name, rules: rulesOf(options, before) });
    const project = view(await admin.inForce(admin.projects.change(accountId, id, wanted, admin.by)));
    const { name } = await admin.accounts.get(accountId);
    return output.says(project)`Changed project ${project.name} (${project.id}) of ${name}.`;
  });

  const archive = projects
    .command('archive <project>')
    .description('end a project and all of its keys, for good')
    .addOption(accountOption());
  administers(archive, async (admin, options: AccountOption, idOrName: string) => {
    const { id, accountId } = await projectOf(admin, idOrName, options);
    const project = view(await admin.inForce(admin.projects.archive(accountId, id, admin.by)));
    const { name } = await admin.accounts.get(accountId);
    return output.says(project)`Archived project ${project.name} (${project.id}) of ${name}.`;
  });

  return projects;
}

async function projectOf(admin: Administration, idOrName: string, { account }: AccountOption): Promise<Project> {
  return admin.project(idOrName, await admin.accountId(account));
}

function view(project: Project) {
  return Object.assign(projectView(project), { status: project.archivedAt === undefined ? 'active' : 'archived' });
}
