import { Injectable } from '@nestjs/common';
import { type Project, ProjectStore } from '../../auth/project-store.js';
import type { Page, FindQuery } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { changed } from '../changed.js';
import type { ChangeKeyHolderDto, CreateKeyHolderDto } from '../key-holder.dto.js';
import { OnceService } from '../once.service.js';
import { changedMeanwhile, found, requireVersion } from '../preconditions.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly projects: ProjectStore,
    private readonly once: OnceService,
  ) {}

  async page(accountId: string, query: FindQuery): Promise<Page<Project>> {
    await this.accounts.get(accountId);
    return this.projects.page(accountId, query);
  }

  /** @throws ApiError 404 not_found where the account has no such project */
  async get(accountId: string, id: string): Promise<Project> {
    const project = await this.projects.find(id);
    return found('project', id, project?.accountId === accountId ? project : undefined);
  }

  async create(accountId: string, { id, ...content }: CreateKeyHolderDto, deed: Deed): Promise<Project> {
    await this.accounts.get(accountId);
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

  async change(
    accountId: string,
    id: string,
    { name, rules }: ChangeKeyHolderDto,
    version: bigint | undefined,
    deed: Deed,
  ): Promise<Project> {
    const project = await this.get(accountId, id);
    return changed(project, { name: name?.trim(), rules }, version, { deed, accountId }, (fields, options) =>
      this.projects.change(id, fields, options),
    );
  }

  async archive(accountId: string, id: string, version: bigint | undefined, deed: Deed): Promise<Project> {
    const project = await this.get(accountId, id);
    if (project.archivedAt !== undefined) return project;
    requireVersion(version, project);
    const beside = audited(deed, { accountId, fields: ['archived_at'] });
    const archived = await this.projects.archive(id, { ifVersion: version, beside });
    if (!archived) throw changedMeanwhile();
    return archived;
  }
}
