import { Body, Delete, Get, Patch, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, type Change, Id, IfMatch, Perform } from '../route.decorators.js';
import { ChangeKeyHolderDto, CreateKeyHolderDto } from '../key-holder.dto.js';
import { type PageView, pageView, FindDto } from '../page.dto.js';
import { type ProjectView, projectView } from './project.dto.js';
import { ProjectsService } from './projects.service.js';

@AdminController('accounts/:account/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  /**
   * Lists the projects of an account, oldest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async list(@Id('account') account: string, @Query() query: FindDto): Promise<PageView<ProjectView>> {
    return pageView(await this.projects.page(account, query), projectView);
  }

  /**
   * Makes a project, whose keys share its rules, limits and budgets.
   * @returns the project, also where it was made before
   * @throws ApiError 404 not_found, 409 idempotency_conflict, conflict
   */
  @Perform()
  @Roles('operator', 'owner', 'admin')
  async create(@Id('account') account: string, @Body() body: CreateKeyHolderDto, @CurrentDeed() deed: Deed): Promise<ProjectView> {
    return projectView(await this.projects.create(account, body, deed));
  }

  /**
   * Shows a project.
   * @returns the project
   * @throws ApiError 404 not_found
   */
  @Get(':project')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async get(@Id('account') account: string, @Id('project') id: string): Promise<ProjectView> {
    return projectView(await this.projects.get(account, id));
  }

  /**
   * Changes what is given of a project. Rules are replaced as a whole, and in force within a second.
   * @returns the project as it is now
   * @throws ApiError 404 not_found, 409 conflict, 412 precondition_failed
   */
  @Patch(':project')
  @Roles('operator', 'owner', 'admin')
  async change(
    @Id('account') account: string,
    @Id('project') id: string,
    @Body() body: ChangeKeyHolderDto,
    @IfMatch() by: Change,
  ): Promise<ProjectView> {
    return projectView(await this.projects.change(account, id, body, by));
  }

  /**
   * Ends a project with all of its keys, for good.
   * @returns the project as it is now
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Delete(':project')
  @Roles('operator', 'owner', 'admin')
  async archive(@Id('account') account: string, @Id('project') id: string, @IfMatch() by: Change): Promise<ProjectView> {
    return projectView(await this.projects.archive(account, id, by));
  }
}
