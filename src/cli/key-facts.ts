import type { ApiKey } from '../auth/api-key-store.js';
import { statusOf } from '../auth/status-of.js';
import { isoTime } from './common-options.js';
import type { Output } from './output.js';

export function keyToJson(key: ApiKey) {
  const { id, accountId, environment, projectId, label, rules, metadata, firstId, display, createdAt, expiresAt, revokedAt, usedAt } = key;
  return {
    id,
    account_id: accountId,
    project_id: projectId ?? null,
    environment,
    label,
    display,
    status: statusOf(key),
    rules,
    metadata,
    first_id: firstId,
    created_at: isoTime(createdAt),
    expires_at: expiresAt === undefined ? null : isoTime(expiresAt),
    revoked_at: revokedAt === undefined ? null : isoTime(revokedAt),
    last_used_at: usedAt === undefined ? null : isoTime(usedAt),
  };
}

export function explainKey(output: Output, key: ApiKey, account: string | undefined, project: string | undefined): void {
  output.facts([
    ['key', key.display],
    ['id', key.id],
    ['account', `${account} (${key.accountId})`],
    ['project', key.projectId && `${project} (${key.projectId})`],
    ['label', key.label || undefined],
    ['status', statusOf(key)],
    ['created', isoTime(key.createdAt)],
    ['expires', key.expiresAt === undefined ? undefined : isoTime(key.expiresAt)],
    ['revoked', key.revokedAt === undefined ? undefined : isoTime(key.revokedAt)],
    ['last used', key.usedAt === undefined ? 'never' : isoTime(key.usedAt)],
    ['continues', key.firstId === key.id ? undefined : key.firstId],
    ...Object.entries(key.rules).map(([name, rule]) => [name, JSON.stringify(rule)] as const),
    ...Object.entries(key.metadata).map(([name, value]) => [`metadata.${name}`, value] as const),
  ]);
}
