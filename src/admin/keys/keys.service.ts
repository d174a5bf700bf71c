import { Injectable } from '@nestjs/common';
import { COUNTED_MS } from '../../auth/account-space.js';
import { type ApiKey, type ApiKeyQuery, ApiKeyStore, type MadeApiKey } from '../../auth/api-key-store.js';
import { isPlaygroundKey } from '../../auth/playground-keys.js';
import { ApiError } from '../../common/api-error.js';
import type { Page } from '../../database/pages.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { changedMeanwhile, changeOptions, difference, requireChanged, requireVersion } from '../changes.js';
import { timeToCome } from '../fields.js';
import type { Change } from '../route.decorators.js';
import { OnceService } from '../once.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { found } from '../preconditions.js';
import type { ChangeKeyDto, CreateKeyDto, RotateKeyDto } from './key.dto.js';

/** A key, with its full text where it was made by this very request. */
type Made = Pick<MadeApiKey, 'apiKey'> & Partial<MadeApiKey>;

@Injectable()
export class KeysService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly keys: ApiKeyStore,
    private readonly once: OnceService,
  ) {}

  page(accountId: string, query: ApiKeyQuery): Promise<Page<ApiKey>> {
    return this.keys.page(accountId, query);
  }

  /** @throws ApiError 404 not_found where the account has no such key */
  async get(accountId: string, id: string): Promise<ApiKey> {
    const key = await this.keys.find(id);
    return found('key', id, key?.accountId === accountId ? key : undefined);
  }

  async create(accountId: string, { id, ...content }: CreateKeyDto, deed: Deed): Promise<Made> {
    const { environment, project_id: projectId, label, rules, metadata, expires_at } = content;
    return this.once.once<Made>({
      kind: 'key',
      prefix: 'key',
      id,
      accountId,
      content,
      deed,
      make: async (made, beside) => {
        if (projectId !== undefined) await this.#requireProject(accountId, projectId);
        const expiresAt = timeToCome(expires_at) ?? undefined;
        return this.keys.create({ id: made, accountId, environment, projectId, label, rules, metadata, expiresAt }, beside);
      },
      find: (made) => this.#made(made),
    });
  }

  async change(accountId: string, id: string, { label, rules, metadata, expires_at }: ChangeKeyDto, by: Change): Promise<ApiKey> {
    const key = await this.get(accountId, id);
    const differs = difference(key, { label, rules, metadata, expiresAt: timeToCome(expires_at, COUNTED_MS) }, by, accountId);
    if (!differs) return key;
    if (key.revokedAt !== undefined) throw ended(key);
    return requireChanged(await this.keys.change(id, differs.fields, differs.options));
  }

  async rotate(accountId: string, old: string, { id, ...content }: RotateKeyDto, deed: Deed): Promise<Made> {
    await this.get(accountId, old);
    if (isPlaygroundKey(old)) throw new ApiError('conflict', 'The key of a playground has no text that could be replaced.');
    return this.once.once<Made>({
      kind: 'key',
      prefix: 'key',
      id,
      accountId,
      content: { ...content, replaces: old },
      deed,
      make: async (made, beside) => {
        const successor = await this.keys.rotate(old, content.grace_seconds * 1000, made, beside);
        if (!successor) throw ended(await this.get(accountId, old));
        return successor;
      },
      find: (made) => this.#made(made),
    });
  }

  async revoke(accountId: string, id: string, by: Change): Promise<ApiKey> {
    const key = await this.get(accountId, id);
    if (key.revokedAt !== undefined) return key;
    requireVersion(by, key);
    const after = found('key', id, await this.keys.revoke(id, changeOptions(by, { accountId, fields: ['revoked_at'] })));
    if (after.revokedAt === undefined) throw changedMeanwhile();
    return after;
  }

  async #made(id: string): Promise<Made | undefined> {
    const apiKey = await this.keys.find(id);
    return apiKey && { apiKey };
  }

  async #requireProject(accountId: string, id: string): Promise<void> {
    const { archivedAt } = await this.projects.get(accountId, id);
    if (archivedAt !== undefined) throw new ApiError('conflict', `The project '${id}' has been archived.`);
  }
}

function ended({ id, revokedAt }: ApiKey): ApiError {
  return new ApiError('conflict', `The key '${id}' has ${revokedAt === undefined ? 'expired' : 'been revoked'}.`);
}
