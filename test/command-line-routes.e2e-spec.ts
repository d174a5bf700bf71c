import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.js';
import { apiDocuments } from './support/api-documents.js';

const local = (reason: string) => ({ reason });

/** The route of the administration API that does what a command does, or why there is none. */
const routes: Readonly<Record<string, string | { readonly reason: string }>> = {
  start: local('it makes the process that has the API'),
  'accounts create': 'POST /accounts',
  'accounts list': 'GET /accounts',
  'accounts limit': 'PATCH /accounts/{account}',
  'accounts suspend': 'POST /accounts/{account}/suspend',
  'accounts resume': 'POST /accounts/{account}/resume',
  'accounts delete': 'DELETE /accounts/{account}',
  'projects create': 'POST /accounts/{account}/projects',
  'projects list': 'GET /accounts/{account}/projects',
  'projects change': 'PATCH /accounts/{account}/projects/{project}',
  'projects archive': 'DELETE /accounts/{account}/projects/{project}',
  'keys create': 'POST /accounts/{account}/keys',
  'keys list': 'GET /accounts/{account}/keys',
  'keys show': 'GET /accounts/{account}/keys/{key}',
  'keys change': 'PATCH /accounts/{account}/keys/{key}',
  'keys rotate': 'POST /accounts/{account}/keys/{key}/rotate',
  'keys revoke': 'DELETE /accounts/{account}/keys/{key}',
  'tokens create': 'POST /tokens',
  'tokens list': 'GET /tokens',
  'tokens revoke': 'DELETE /tokens/{token}',
  'credits grant': 'POST /accounts/{account}/credits/grants',
  'credits show': 'GET /accounts/{account}/credits',
  'people list': 'GET /users',
  'people invite': 'POST /operators/invitations',
  'people sign-in-link': 'POST /users/{user}/sign-in-links',
  'people disable': 'PATCH /users/{user}',
  'people enable': 'PATCH /users/{user}',
  usage: 'GET /usage',
  'requests show': 'GET /requests/{request}',
  'requests list': 'GET /requests',
  'models list': 'GET /models',
  'models performance': 'GET /offers',
  'models prices': 'GET /models/{model}/prices',
  'models disable': 'POST /models/{model}/disable',
  'models enable': 'POST /models/{model}/enable',
  'models switches': 'GET /model-switches',
  'ledger verify': 'POST /ledger/verify',
  'webhooks create': 'POST /webhooks',
  'webhooks list': 'GET /webhooks',
  'webhooks change': 'PATCH /webhooks/{webhook}',
  'webhooks rotate': 'POST /webhooks/{webhook}/rotate',
  'webhooks test': 'POST /webhooks/{webhook}/test',
  'webhooks remove': 'DELETE /webhooks/{webhook}',
  'providers new': local('it writes the files of a module'),
  'providers test': local('it tests a module that is being written'),
  'providers list': 'GET /providers',
  'providers disable': 'POST /providers/{provider}/disable',
  'providers enable': 'POST /providers/{provider}/enable',
  'providers remove': 'DELETE /providers/{provider}',
  'config check': local('it checks a file before a gateway has it'),
  'config schema': local('it describes that file'),
};

function leaves(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const name = [...path, one.name()];
    return one.commands.length > 0 ? leaves(one, name) : [name.join(' ')];
  });
}

describe('The command line and the administration API', () => {
  it('do the same: each command has a route, or a reason', () => {
    expect(leaves(createProgram({} as never)).sort()).toEqual(Object.keys(routes).sort());
    const described = Object.entries(apiDocuments.administration.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path.replace('/admin/v1', '')}`),
    );
    expect(described).toEqual(expect.arrayContaining(Object.values(routes).filter((route) => typeof route === 'string')));
  });
});
