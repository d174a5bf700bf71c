import type { ColumnType } from 'kysely';

/** Every integer is read as bigint, on both engines. */
export type Int = ColumnType<bigint, bigint | number, bigint | number>;
export type OptionalInt = ColumnType<bigint | null, bigint | number | null | undefined, bigint | number | null>;
export type DefaultedInt = ColumnType<bigint, bigint | number | undefined, bigint | number>;
export type Defaulted<T> = ColumnType<T, T | undefined, T>;
export type EnvironmentColumn = 'live' | 'test';
