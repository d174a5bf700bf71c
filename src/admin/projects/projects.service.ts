import { Injectable } from '@nestjs/common';
import { type Project, ProjectStore } from '../../auth/project-store.js';
import type { Page, FindQuery } from '../../database/pages.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { changeOptions, difference, requireChanged, requireVersion } from '../changes.js';
import type { Change } from '../route.decorators.js';
import type { ChangeKeyHolderDto, CreateKeyHolderDto } from '../key-holder.dto.js';
import { OnceService } from '../once.service.js';
import { found } from '../preconditions.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly projects: ProjectStore,
    private readonly once: OnceService,
  ) {}

  page(accountId: string, query: FindQuery): Promise<Page<Project>> {
    return this.projects.page(accountId, query);
  }

  /** @throws ApiError 404 not_found where the account has no such project */
  async get(accountId: string, id: string): Promise<Project> {
    const project = await this.projects.find(id);
    return found('project', id, project?.accountId === accountId ? project : undefined);
  }

  async create(accountId: string, { id, ...content }: CreateKeyHolderDto, deed: Deed): Promise<Project> {
    return this.once.once({
      kind: 'project',
      prefix: 'proj',
      id,
      accountId,
      content,
      deed,
      make: (made, beside) => this.projects.create({ id: made, accountId, ...content }, beside),
      find: (made) => this.projects.find(made),
    });
  }

  async change(accountId: string, id: string, { name, rules }: ChangeKeyHolderDto, by: Change): Promise<Project> {
    const project = await this.get(accountId, id);
    const differs = difference(project, { name: name?.trim(), rules }, by, accountId);
    return differs ? requireChanged(await this.projects.change(id, differs.fields, differs.options)) : project;
  }

  async archive(accountId: string, id: string, by: Change): Promise<Project> {
    const project = await this.get(accountId, id);
    if (project.archivedAt !== undefined) return project;
    requireVersion(by, project);
    return requireChanged(await this.projects.archive(id, changeOptions(by, { accountId, fields: ['archived_at'] })));
  }
}
