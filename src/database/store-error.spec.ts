import { ApiError } from '../common/api-error.js';
import { SqliteError } from './sqlite-client.js';
import { StoreError, TakenError, unlessAway } from './store-error.js';

const coded = (code: string) => Object.assign(new Error('as pg says it'), { code });

describe('unlessAway', () => {
  const thrown = async (error: Error): Promise<unknown> => {
    try {
      return await unlessAway(async () => {
        throw error;
      });
    } catch (caught) {
      return caught;
    }
  };

  it.each([
    new StoreError('unavailable', 'The store does not answer'),
    coded('ECONNREFUSED'),
    coded('ENOENT'),
    // Too many connections, a statement that took too long, an end by the operator, a process that stood still.
    ...['53300', '57014', '57P01', '25P03', '08006'].map(coded),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('timeout exceeded when trying to connect'),
    new SqliteError('database is locked', 261),
    new SqliteError('database or disk is full', 13),
    new SqliteError('disk I/O error', 778),
  ])('says of %s that the store does not answer', async (error) => {
    const answered = await thrown(error);
    expect(answered).toBeInstanceOf(ApiError);
    expect(answered).toMatchObject({ code: 'service_unavailable', cause: error });
  });

  it.each([
    coded('23505'),
    coded('42P01'),
    coded('22003'),
    new SqliteError('UNIQUE constraint failed', 2067),
    new TakenError('it is taken'),
    new RangeError('too long'),
    new ApiError('not_found', 'There is nothing'),
    new TypeError('undefined is not a function'),
  ])('leaves %s as it is', async (error) => {
    expect(await thrown(error)).toBe(error);
  });
});
