import type { ColumnTypes, Tables } from './tables.js';

/** People, what they may do, and how they sign in. */
export const peopleTables = ({ int }: ColumnTypes): Tables => ({
  person: `
    id text not null primary key,
    email text not null unique check (length(email) between 3 and 254),
    name text not null check (length(name) <= 200),
    password text,
    operator ${int} not null check (operator in (0, 1)),
    created_at ${int} not null,
    disabled_at ${int},
    version ${int} not null`,
  membership: `
    account_id text not null references account (id),
    person_id text not null references person (id),
    role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
    created_at ${int} not null,
    primary key (account_id, person_id)`,
  session: `
    id text not null primary key,
    digest text not null unique check (length(digest) = 64),
    person_id text not null references person (id),
    opened_by text not null check (opened_by in ('password', 'link', 'invitation', 'oidc')),
    user_agent text not null check (length(user_agent) <= 300),
    address text,
    created_at ${int} not null,
    seen_at ${int} not null,
    expires_at ${int} not null,
    ended_at ${int},
    version ${int} not null`,
  sign_in_link: `
    digest text not null primary key check (length(digest) = 64),
    person_id text not null references person (id),
    created_at ${int} not null,
    expires_at ${int} not null,
    asked_for ${int} not null default 0`,
  invitation: `
    id text not null primary key,
    digest text not null unique check (length(digest) = 64),
    email text not null check (length(email) between 3 and 254),
    role text not null check (role in ('operator', 'owner', 'admin', 'developer', 'viewer')),
    account_id text references account (id) check ((account_id is null) = (role = 'operator')),
    created_at ${int} not null,
    expires_at ${int} not null`,
  oidc_identity: `
    issuer text not null,
    subject text not null,
    person_id text not null references person (id),
    created_at ${int} not null,
    primary key (issuer, subject)`,
  sign_in_failure: `
    subject text not null primary key,
    failures ${int} not null,
    until ${int} not null`,
});

export const peopleIndexes = [
  'index person_time on person (created_at, id)',
  'index membership_person on membership (person_id)',
  'index session_person on session (person_id)',
  'index invitation_account on invitation (account_id, created_at, id)',
];
