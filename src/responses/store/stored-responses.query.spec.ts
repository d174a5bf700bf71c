import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { QueryValidationPipe } from '../../http/requests/query-validation.pipe.js';
import { InputItemsQuery, ResponseQuery } from './stored-responses.query.js';

describe('the query of a stored response', () => {
  it.each<[Type<object>, object, string]>([
    [ResponseQuery, { starting_after: 'x' }, 'starting_after must be an integer'],
    [ResponseQuery, { starting_after: '-1' }, 'starting_after must be at least 0'],
    [InputItemsQuery, { limit: 'x' }, 'limit must be an integer'],
    [InputItemsQuery, { limit: '0' }, 'limit must be at least 1'],
    [InputItemsQuery, { limit: '101' }, 'limit must be at most 100'],
    [InputItemsQuery, { after: ['a', 'b'] }, 'after must be given once'],
  ])('in %p is refused for its type before its bounds: %j', (query, given, reason) => {
    expect(() => new QueryValidationPipe(query).transform(given)).toThrow(reason);
  });
});
