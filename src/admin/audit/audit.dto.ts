import type { Rights } from '../../database/schema.js';
import type { AuditRecord } from '../../observability/audit/audit-log.js';
import { isoTime } from '../fields.js';

export class RightsChangeView {
  before: Rights;
  after: Rights;
}

/** Who has changed what. */
export class AuditView {
  id: string;
  created_at: string;
  /** `nobody`: whoever it was is not signed in. */
  actor_kind: 'token' | 'cli' | 'user' | 'nobody';
  /**
   * The id of a token or a user, or the name of a user of the operating system. Null for nobody, and to members where an
   * operator was it.
   */
  actor: string | null;
  /** The name of a user or a token; null where they have none, and to members where an operator was it. */
  actor_name: string | null;
  /** The e-mail address of a user. Null to members where an operator was it. */
  actor_email: string | null;
  role: string | null;
  /** Method and route, or the command. */
  action: string;
  account_id: string | null;
  account_name: string | null;
  /** The id of what was made or changed. */
  subject: string;
  /** What it is called now; null where it has no name, or is gone. */
  subject_name: string | null;
  /** What was given or has changed: names, never values. */
  fields: readonly string[];
  /**
   * What the subject might do before and may do now: a role in the account, or in the gateway where the line names no
   * account. Null where that has not changed.
   */
  rights: RightsChangeView | null;
  /** Null to members where an operator was it. */
  request_id: string | null;
  /** The address of the client. Null to members where an operator was it. */
  address: string | null;
}

export function auditView(record: AuditRecord): AuditView {
  return {
    id: record.id,
    created_at: isoTime(record.createdAt),
    actor_kind: record.actorKind,
    actor: record.actorKind === 'nobody' ? null : record.actor,
    actor_name: record.actorName ?? null,
    actor_email: record.actorEmail ?? null,
    role: record.role ?? null,
    action: record.action,
    account_id: record.accountId ?? null,
    account_name: record.accountName ?? null,
    subject: record.subject,
    subject_name: record.subjectName ?? null,
    fields: record.fields,
    rights: record.rights ?? null,
    request_id: record.requestId ?? null,
    address: record.address ?? null,
  };
}

/** Which operator it was, and from where, is not the account's to know. */
export function memberAuditView(record: AuditRecord): AuditView {
  const view = auditView(record);
  return record.actorKind !== 'cli' && record.role !== 'operator'
    ? view
    : Object.assign(view, { actor: null, actor_name: null, actor_email: null, request_id: null, address: null });
}
