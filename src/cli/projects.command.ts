import { Command } from 'commander';
import { ChangeKeyHolderDto, CreateKeyHolderDto } from '../admin/key-holder.dto.js';
import { projectView } from '../admin/projects/project.dto.js';
import { type Project, ProjectStore } from '../auth/project-store.js';
import { administer } from './administer.js';
import type { Administration } from './administration.js';
import { accountOption, body, type CommonOptions, seenEverywhere, shortTime, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

interface ProjectOptions extends CommonOptions {
  account?: string;
}

export function projectsCommand(output: Output): Command {
  const projects = new Command('projects').description('keys of an account that share rules, limits and budgets');

  withRulesOptions(withCommonOptions(projects.command('create <name>').description('make a project')))
    .addOption(accountOption().makeOptionMandatory())
    .action(async (name: string, options: ProjectOptions & RulesOptions & { account: string }, command: Command) => {
      const rules = rulesOf(command, options);
      const project = await administer(options, 'projects create', async (admin) => {
        const { id } = await admin.account(options.account);
        return admin.projects.create(id, body(CreateKeyHolderDto, { name, rules }), admin.by);
      });
      if (options.json) output.json(view(project));
      else output.line`Created project ${project.name} (${project.id}).`;
    });

  withCommonOptions(projects.command('list').description('list the projects, oldest first'))
    .addOption(accountOption())
    .action(async (options: ProjectOptions) => {
      const { list, names } = await administer(options, 'projects list', async (admin) => ({
        list: await admin.get(ProjectStore).list(await admin.accountId(options.account)),
        names: await admin.accountNames(),
      }));
      output.list(options.json, list.map(view), {
        project: 'id',
        name: 'name',
        account: ({ account_id }) => names.get(account_id),
        status: 'status',
        created: ({ created_at }) => shortTime(created_at),
        rules: ({ rules }) => (Object.keys(rules).length > 0 ? JSON.stringify(rules) : undefined),
      });
    });

  withRulesOptions(withCommonOptions(projects.command('change <project>').description('change the name or the rules of a project')))
    .addOption(accountOption())
    .option('-n, --name <name>', 'another name')
    .action(async (idOrName: string, options: ProjectOptions & RulesOptions & { name?: string }, command: Command) => {
      const { project, account } = await change('change', idOrName, options, (admin, { id, accountId, rules: before }) => {
        const wanted = { name: options.name, rules: rulesOf(command, options, before) };
        return admin.projects.change(accountId, id, body(ChangeKeyHolderDto, wanted), admin.by);
      });
      if (options.json) output.json(view(project));
      else output.line`Changed project ${project.name} (${project.id}) of ${account}.`;
    });

  withCommonOptions(projects.command('archive <project>').description('end a project and all of its keys, for good'))
    .addOption(accountOption())
    .action(async (idOrName: string, options: ProjectOptions) => {
      const { project, account } = await change('archive', idOrName, options, (admin, { id, accountId }) =>
        admin.projects.archive(accountId, id, admin.by),
      );
      if (options.json) output.json(view(project));
      else output.line`Archived project ${project.name} (${project.id}) of ${account}.`;
    });

  return projects;
}

/** @returns the project and the name of its account */
function change(
  verb: string,
  idOrName: string,
  options: ProjectOptions,
  work: (admin: Administration, project: Project) => Promise<Project>,
): Promise<{ project: Project; account: string }> {
  return administer(options, `projects ${verb}`, async (admin) => {
    const project = await work(admin, await admin.project(idOrName, await admin.accountId(options.account)));
    await seenEverywhere();
    return { project, account: (await admin.accounts.get(project.accountId)).name };
  });
}

function view(project: Project) {
  return Object.assign(projectView(project), { status: project.archivedAt === undefined ? 'active' : 'archived' });
}
