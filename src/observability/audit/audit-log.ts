import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { type Beside, Database, type RightsChange } from '../../database/database.js';
import { type Page, pageOf, type PageQuery, rowsToRead } from '../../database/pages.js';
import type { AuditTable } from '../../database/schema.js';
import { type Named, type Names, namesOf } from '../names.js';

/** Who is doing something, and by which request or command. */
export interface Deed {
  /** The id of a token or a person, or the name of a user of the operating system; empty for nobody. */
  readonly actor: string;
  /** `nobody`: whoever it was is not signed in, and not known. */
  readonly actorKind: 'token' | 'cli' | 'user' | 'nobody';
  readonly role?: string | undefined;
  /** Method and route, such as `POST /admin/v1/accounts`, or the command. */
  readonly action: string;
  readonly requestId?: string | undefined;
  /** The address of the client. */
  readonly address?: string | undefined;
}

/** What is done. */
export interface Done {
  /** The account that it was done to. */
  readonly accountId?: string | undefined;
  /** The names of what was given or has changed; never a value. */
  readonly fields: readonly string[];
}

/** One line of the log. `createdAt` is milliseconds since 1970. */
export interface AuditRecord extends Deed, Done {
  readonly id: string;
  /** Absent where none have changed. */
  readonly rights?: RightsChange | undefined;
  /** The id of what was made or changed. */
  readonly subject: string;
  /** What it is called now; absent where it has no name, or is gone. */
  readonly subjectName?: string | undefined;
  readonly accountName?: string | undefined;
  /** Of a person or a token. */
  readonly actorName?: string | undefined;
  /** The e-mail address of a person. */
  readonly actorEmail?: string | undefined;
  readonly createdAt: number;
}

/** @returns what writes a line into the log, in the transaction of the change */
export function audited(deed: Deed, { accountId, fields }: Done): Beside {
  return (trx, subject, rights) =>
    trx
      .insertInto('audit')
      .values({
        id: randomUUIDv7(),
        created_at: Date.now(),
        actor_kind: deed.actorKind,
        actor: deed.actor,
        role: deed.role ?? null,
        action: deed.action,
        account_id: accountId ?? null,
        subject,
        fields: JSON.stringify(fields),
        request_id: deed.requestId ?? null,
        address: deed.address ?? null,
        rights_before: rights?.before ?? null,
        rights_after: rights?.after ?? null,
      })
      .execute();
}

/** Reads the log of who has changed what. */
@Injectable()
export class AuditLog {
  constructor(private readonly database: Database) {}

  /** Newest first. @param accountId absent: of all */
  async page(accountId: string | undefined, query: PageQuery): Promise<Page<AuditRecord>> {
    let rows = this.database.db
      .selectFrom('audit')
      .leftJoin('person', 'person.id', 'audit.actor')
      .selectAll('audit')
      .select('person.email')
      .orderBy('audit.id', 'desc')
      .limit(rowsToRead(query));
    if (accountId !== undefined) rows = rows.where('audit.account_id', '=', accountId);
    if (query.after !== undefined) rows = rows.where('audit.id', '<', query.after);
    const found = await rows.execute();
    const nameOf = await this.#names(found);
    return pageOf(
      found,
      query,
      ({ id }) => id,
      (row) => toRecord(row, nameOf),
    );
  }

  /** Reads what the accounts, subjects and actors of rows are called. */
  async #names(rows: readonly Row[]): Promise<NameOf> {
    const wanted = new Map<Named, (string | null)[]>();
    const want = (kind: Named | undefined, id: string | null) => kind && wanted.set(kind, [...(wanted.get(kind) ?? []), id]);
    for (const row of rows) {
      want('account', row.account_id);
      want(kindOfSubject(row), row.subject);
      want(actors[row.actor_kind], row.actor);
    }
    const names = new Map<Named, Names>();
    for (const [kind, ids] of wanted) names.set(kind, await namesOf(this.database, kind, ids));
    return (kind, id) => (kind && names.get(kind)?.get(id)) ?? undefined;
  }
}

type Row = Selectable<AuditTable> & { email: string | null };
type NameOf = (kind: Named | undefined, id: string | null) => string | undefined;

const actors: Partial<Record<Row['actor_kind'], Named>> = { user: 'person', token: 'admin_token' };

/** What routes and commands are about, by the words in them. */
const subjects = new Map<string, Named>([
  ['accounts', 'account'],
  ['invitations', 'invitation'],
  ['keys', 'api_key'],
  ['playground', 'api_key'],
  ['projects', 'project'],
  ['tokens', 'admin_token'],
  ['webhooks', 'webhook_endpoint'],
]);

function kindOfSubject({ action, subject }: Row): Named | undefined {
  if (subject.startsWith('usr_')) return 'person';
  if (subject.startsWith('inv_')) return 'invitation';
  return subjects.get(action.match(/[a-z]+/g)?.findLast((word) => subjects.has(word)) ?? '');
}

function toRecord(row: Row, nameOf: NameOf): AuditRecord {
  return {
    id: row.id,
    createdAt: Number(row.created_at),
    actor: row.actor,
    actorKind: row.actor_kind,
    actorName: nameOf(actors[row.actor_kind], row.actor),
    subjectName: nameOf(kindOfSubject(row), row.subject),
    accountName: nameOf('account', row.account_id),
    actorEmail: row.actor_kind === 'user' ? (row.email ?? undefined) : undefined,
    role: row.role ?? undefined,
    action: row.action,
    accountId: row.account_id ?? undefined,
    subject: row.subject,
    fields: JSON.parse(row.fields) as string[],
    rights: row.rights_before && row.rights_after ? { before: row.rights_before, after: row.rights_after } : undefined,
    requestId: row.request_id ?? undefined,
    address: row.address ?? undefined,
  };
}
