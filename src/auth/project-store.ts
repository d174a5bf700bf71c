import { Injectable } from '@nestjs/common';
import type { Selectable, Transaction } from 'kysely';
import { ConfigService } from '../config/config.service.js';
import { type Beside, type ChangeOptions, Database } from '../database/database.js';
import { afterCursor, type FindQuery, hasText, hasVersion, isOneOf, type Page, pageOf, rowsToRead, timeCursor } from '../database/pages.js';
import type { ProjectTable, Schema } from '../database/schema.js';
import { unlessTaken } from '../database/store-error.js';
import { bytesOf, requireSpace } from './account-space.js';
import { randomBase62 } from './base62.js';
import { type RulesDto, rulesText } from './rules/rules.dto.js';

/** Keys of one account that share rules, limits and budgets. Times are milliseconds since 1970. */
export interface Project {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly rules: RulesDto;
  readonly createdAt: number;
  /** From then on its keys are refused. */
  readonly archivedAt?: number | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

interface NewProject {
  /** Made by whoever asks, so that a repetition makes nothing new; absent: made here. */
  readonly id?: string | undefined;
  readonly accountId: string;
  readonly name: string;
  readonly rules?: RulesDto | undefined;
}

/** Creates, changes and lists the projects in the store. */
@Injectable()
export class ProjectStore {
  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
  ) {}

  /**
   * @throws TakenError where the name is taken in its account or the id is, RangeError for a wrong name or wrong rules, and
   * where the account has as many projects as it may
   */
  async create({ id = `proj_${randomBase62(16)}`, accountId, name, rules = {} }: NewProject, beside?: Beside): Promise<Project> {
    const values = { id, account_id: accountId, name: nameOf(name), rules: rulesText(rules), created_at: this.database.now() };
    return unlessTaken(taken(name), async () => {
      const row = await this.database.change('api_key', async (trx, version) => {
        const made = await trx
          .insertInto('project')
          .values({ ...values, rules_bytes: bytesOf(values.rules), version })
          .returningAll()
          .executeTakeFirstOrThrow();
        await this.#requireSpace(trx, made);
        await beside?.(trx, id);
        return made;
      });
      return toProject(row);
    });
  }

  /**
   * Changes what is given; rules are replaced as a whole. In force everywhere within a second.
   * @returns undefined when there is no such project, or not in this version
   * @throws as create
   */
  async change(
    id: string,
    { name, rules }: { readonly name?: string | undefined; readonly rules?: RulesDto | undefined },
    options?: ChangeOptions,
  ): Promise<Project | undefined> {
    const set = { ...(name === undefined ? {} : { name: nameOf(name) }), ...(rules === undefined ? {} : { rules: rulesText(rules) }) };
    return unlessTaken(taken(name ?? ''), () => this.#update(id, set, options));
  }

  /** Ends a project with all of its keys, and drops its rules; one that has ended stays as it was. */
  async archive(id: string, options?: ChangeOptions): Promise<Project | undefined> {
    const archived = await this.#update(id, { archived_at: this.database.now(), rules: null }, options);
    if (archived) return archived;
    const project = await this.find(id);
    return project?.archivedAt === undefined ? undefined : project;
  }

  async find(id: string): Promise<Project | undefined> {
    const row = await this.database.db.selectFrom('project').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toProject(row);
  }

  /** Lists projects, oldest first: those of one account, or all of them. */
  async list(accountId?: string): Promise<Project[]> {
    let query = this.database.db.selectFrom('project').selectAll().orderBy('created_at').orderBy('id');
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    return (await query.execute()).map(toProject);
  }

  /** Lists the projects of an account, oldest first. @throws RangeError for a wrong cursor */
  async page(accountId: string, query: FindQuery): Promise<Page<Project>> {
    const rows = await this.database.db
      .selectFrom('project')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(hasText(query.search, 'name', 'id'))
      .where(isOneOf('project', query.ids))
      .where(afterCursor('project', query.after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsToRead(query))
      .execute();
    return pageOf(rows, query, timeCursor, toProject);
  }

  async #update(
    id: string,
    set: { name?: string; rules?: string | null; archived_at?: number },
    { ifVersion, beside }: ChangeOptions = {},
  ): Promise<Project | undefined> {
    const row = await this.database.change('api_key', async (trx, version) => {
      let update = trx
        .updateTable('project')
        .set({ ...set, version })
        .where('id', '=', id)
        .where(hasVersion(ifVersion));
      if (set.archived_at !== undefined) update = update.where('archived_at', 'is', null);
      const changed = await update.returningAll().executeTakeFirst();
      if (changed) {
        await this.#resize(trx, changed);
        await beside?.(trx, id);
      }
      return changed;
    });
    return row && toProject(row);
  }

  /** @throws RangeError where what was changed has grown beyond what the account may have */
  async #resize(trx: Transaction<Schema>, row: Selectable<ProjectTable>): Promise<void> {
    const rules_bytes = bytesOf(row.rules);
    if (rules_bytes === Number(row.rules_bytes)) return;
    await trx.updateTable('project').set({ rules_bytes }).where('id', '=', row.id).execute();
    if (rules_bytes > Number(row.rules_bytes)) await this.#requireSpace(trx, { ...row, rules_bytes });
  }

  #requireSpace(trx: Transaction<Schema>, row: Parameters<typeof requireSpace>[1]): Promise<void> {
    return requireSpace(trx, row, this.database.now(), this.config.current.limits);
  }
}

const taken = (name: string): string => `the account already has a project named ${name.trim()}, or there is one with this id`;

function nameOf(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > 200) throw new RangeError('a project’s name has 1 to 200 characters');
  return trimmed;
}

function toProject(row: Selectable<ProjectTable>): Project {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    rules: row.rules === null ? {} : (JSON.parse(row.rules) as RulesDto),
    createdAt: Number(row.created_at),
    archivedAt: row.archived_at === null ? undefined : Number(row.archived_at),
    version: row.version,
  };
}
