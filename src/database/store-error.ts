import { isNativeError } from 'node:util/types';
import { ApiError } from '../common/api-error.js';
import { StartError } from '../config/start-error.js';
import { OUT_OF_RANGE } from './integers.js';

/**
 * Why the store cannot be used.
 *
 * - `unusable`      the folder or file cannot be opened or written to, or the engine is too old
 * - `older_schema`  a build from before the first release has made the store
 * - `newer_schema`  a later version of the program has already changed the schema
 * - `in_use`        another gateway process holds the embedded store
 * - `pepper`        the secret does not belong to this store, or is missing
 * - `unavailable`   the store was open and does not answer now
 */
type StoreErrorKind = 'unusable' | 'older_schema' | 'newer_schema' | 'in_use' | 'pepper' | 'unavailable';

/**
 * The store itself cannot be used, as opposed to a statement that a constraint refused. `message` is one line that an
 * operator can act on.
 */
export class StoreError extends StartError {
  override name = 'StoreError';

  constructor(
    readonly kind: StoreErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A statement has not changed as many rows as it had to: its batch has assumed something of the store that is not so.
 */
export class UnexpectedChanges extends Error {
  override name = 'UnexpectedChanges';

  constructor(statement: string) {
    super(`not as many rows were changed as were to be: ${statement}`);
  }
}

/** A name or an id that is to be unique belongs to something else. `message` says so. */
export class TakenError extends Error {
  override name = 'TakenError';
}

const UNIQUE_VIOLATIONS = new Set<unknown>(['23505', 2067, 1555]);
/** SQLite turns an integer that overflows into a floating-point number, which no integer column takes. */
const OVERFLOWS = new Set<unknown>([OUT_OF_RANGE, 3091]);

/** A unique or primary key refused the row, on either engine. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && UNIQUE_VIOLATIONS.has((error as { code?: unknown }).code);
}

/**
 * @param message what to say where a unique or primary key refuses the row
 * @throws TakenError, or what `work` throws
 */
export async function unlessTaken<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new TakenError(message, { cause: error });
    throw error;
  }
}

/**
 * A constraint, or a type that cannot hold a value, refused the statement, on either engine: it would be refused again.
 */
export function isConstraintViolation(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'number' ? (code & 0xff) === 19 : typeof code === 'string' && /^2[23]/.test(code);
}

/**
 * PostgreSQL's classes of a broken connection, of too few resources and of an operator's hand, and the transaction of a
 * process that stood still; and Node's names of what befalls a socket.
 */
const UNAVAILABLE = /^(08|53|57|58)\w{3}$|^25P0[34]$|^E[A-Z]+$/;
/** The errors of pg that have no code. */
const BROKEN = /^(Connection terminated|Client (has encountered|was closed)|timeout expired|timeout exceeded|PostgreSQL has been silent)/;

/** SQLite: another process writes for longer than one waits, the disk does not answer, and it is full. */
const SQLITE_UNAVAILABLE: ReadonlySet<number> = new Set([5, 10, 13]);

/** Whether the store does not answer now, on either engine: the same may be done later. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  if (!isNativeError(error)) return false;
  const { code } = error as { code?: unknown };
  if (code === undefined) return BROKEN.test(error.message);
  return typeof code === 'number' ? SQLITE_UNAVAILABLE.has(code & 0xff) : typeof code === 'string' && UNAVAILABLE.test(code);
}

/** @throws ApiError 503 service_unavailable where the store does not answer, or what `work` throws */
export async function unlessAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new ApiError('service_unavailable', 'The store does not answer now.', {}, { cause: error });
  }
}

/** An integer that 64 bits cannot hold, on either engine. */
export function isOverflow(error: unknown): boolean {
  return error instanceof Error && OVERFLOWS.has((error as { code?: unknown }).code);
}
