import type { KeyView } from '../admin/keys/key.dto.js';
import type { Output } from './output.js';

export function explainKey(output: Output, key: KeyView, account: string, project: string | undefined): void {
  output.facts([
    ['key', key.display],
    ['id', key.id],
    ['account', `${account} (${key.account_id})`],
    ['project', key.project_id && `${project} (${key.project_id})`],
    ['label', key.label || undefined],
    ['status', key.status],
    ['created', key.created_at],
    ['expires', key.expires_at],
    ['revoked', key.revoked_at],
    ['last used', key.last_used_at ?? 'never'],
    ['continues', key.first_id === key.id ? undefined : key.first_id],
    ...Object.entries(key.rules).map(([name, rule]) => [name, JSON.stringify(rule)] as const),
    ...Object.entries(key.metadata).map(([name, value]) => [`metadata.${name}`, value] as const),
  ]);
}
