import type { Tables } from './tables.js';

/** What several processes count together against limits, on PostgreSQL. On SQLite one process counts, in memory. */
export const limitsTables: Tables = {
  limit_bucket: `
    subject text not null,
    kind text not null,
    level bigint not null,
    at bigint not null,
    capacity bigint not null,
    rate bigint not null,
    need bigint not null,
    want bigint not null,
    back bigint not null,
    granted bigint not null,
    primary key (subject, kind)`,
  limit_place: `
    subject text not null primary key,
    holders jsonb not null,
    at bigint not null,
    node text not null,
    places bigint not null,
    used bigint not null,
    wanted bigint not null,
    others bigint not null,
    granted bigint not null`,
};
