import { RouteTable } from './route-table.js';

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add({ url: '/v1/models', method: 'GET' });
  table.add({ url: '/v1/models', method: 'HEAD' });
  table.add({ url: '/v1/completions', method: 'POST' });
  table.add({ url: '/admin/accounts/:id', method: ['GET', 'DELETE'] });
  table.add({ url: '/assets/*', method: 'GET' });

  it.each([
    ['/v1/models', ['GET', 'HEAD']],
    ['/v1/completions', ['POST']],
    ['/admin/accounts/a.b', ['DELETE', 'GET']],
    ['/admin/accounts/a/b', []],
    ['/assets/a/b', ['GET']],
    ['/v1/modelsx', []],
    ['/v1.models', []],
  ])('finds the methods of %s', (path, methods) => expect(table.methodsOf(path)).toEqual(methods));

  it('names the operations below a prefix', () => expect(table.operations('/v1/')).toEqual(['GET /v1/models', 'POST /v1/completions']));
});
