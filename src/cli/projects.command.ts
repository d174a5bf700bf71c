import { Command } from 'commander';
import type { Project } from '../auth/project-store.js';
import { accountOption, type CommonOptions, isoTime, namesOf, seenEverywhere, shortTime, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
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
      const project = await Operator.with(options.config, async (operator) => {
        const { id: accountId } = await operator.account(options.account);
        const log = operator.audit('projects create', { accountId, fields: namesOf({ name, rules }) });
        return operator.projects.create({ accountId, name, rules }, log);
      });
      if (options.json) output.json(toJson(project));
      else output.line`Created project ${project.name} (${project.id}).`;
    });

  withCommonOptions(projects.command('list').description('list the projects, oldest first'))
    .addOption(accountOption())
    .action(async ({ config, json, account }: ProjectOptions) => {
      const { list, names } = await Operator.with(config, async (operator) => {
        const accountId = account === undefined ? undefined : (await operator.account(account)).id;
        return { list: await operator.projects.list(accountId), names: await operator.accountNames() };
      });
      if (json) return output.json(list.map(toJson));
      output.table(
        ['project', 'name', 'account', 'status', 'created', 'rules'],
        list.map((one) => [
          one.id,
          one.name,
          names.get(one.accountId),
          statusOf(one),
          shortTime(one.createdAt),
          Object.keys(one.rules).length > 0 ? JSON.stringify(one.rules) : undefined,
        ]),
      );
    });

  withRulesOptions(withCommonOptions(projects.command('change <project>').description('change the name or the rules of a project')))
    .addOption(accountOption())
    .option('-n, --name <name>', 'another name')
    .action(async (idOrName: string, options: ProjectOptions & RulesOptions & { name?: string }, command: Command) => {
      const { project, account } = await change(idOrName, options, (operator, found) => {
        const { id, accountId, rules: before } = found;
        const wanted = { name: options.name?.trim(), rules: rulesOf(command, options, before) };
        return operator.change('projects change', accountId, found, wanted, (fields, log) => operator.projects.change(id, fields, log));
      });
      if (options.json) output.json(toJson(project));
      else output.line`Changed project ${project.name} (${project.id}) of ${account}.`;
    });

  withCommonOptions(projects.command('archive <project>').description('end a project and all of its keys, for good'))
    .addOption(accountOption())
    .action(async (idOrName: string, options: ProjectOptions) => {
      const { project, account } = await change(idOrName, options, async (operator, { id, accountId }) => {
        const beside = operator.audit('projects archive', { accountId, fields: ['archived_at'] });
        const archived = await operator.projects.archive(id, { beside });
        await seenEverywhere();
        return archived;
      });
      if (options.json) output.json(toJson(project));
      else output.line`Archived project ${project.name} (${project.id}) of ${account}.`;
    });

  return projects;
}

/** @returns the project and the name of its account */
function change(
  idOrName: string,
  { config, account }: ProjectOptions,
  work: (operator: Operator, project: Project) => Promise<Project | undefined>,
): Promise<{ project: Project; account: string }> {
  return Operator.with(config, async (operator) => {
    const accountId = account === undefined ? undefined : (await operator.account(account)).id;
    const found = await operator.project(idOrName, accountId);
    const project = (await work(operator, found))!;
    return { project, account: (await operator.account(project.accountId)).name };
  });
}

function statusOf({ archivedAt }: Project): 'active' | 'archived' {
  return archivedAt === undefined ? 'active' : 'archived';
}

function toJson(project: Project) {
  const { id, accountId, name, rules, createdAt, archivedAt } = project;
  return {
    id,
    account_id: accountId,
    name,
    status: statusOf(project),
    rules,
    created_at: isoTime(createdAt),
    archived_at: archivedAt === undefined ? null : isoTime(archivedAt),
  };
}
