import request from 'supertest';
import { AdminTokenStore } from '../../src/auth/administration/admin-token-store.js';
import type { AdminRole } from '../../src/auth/administration/administrator.js';
import { apiDocuments } from './api-documents.js';
import type { TestApp } from './create-test-app.js';
import { DescribedAnswers } from './described-answers.js';

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

export interface Call {
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
}

/** Calls the administration API of a listening gateway with one token. Every answer must be as it is described. */
export class Administration {
  static readonly answers = new DescribedAnswers(apiDocuments.administration);

  constructor(
    readonly url: string,
    readonly token: string,
    readonly tokenId = '',
  ) {}

  /** @param url of its port; absent: that of the customers */
  static async as(running: Pick<TestApp, 'app' | 'url'>, role: AdminRole, accountId?: string, url = running.url): Promise<Administration> {
    const { token, adminToken } = await running.app.get(AdminTokenStore).create({ role, accountId });
    return new Administration(url, token, adminToken.id);
  }

  call(method: Method, path: string, { body, ifMatch }: Call = {}): request.Test {
    const sent = request(this.url)[method](`/admin/v1/${path}`).set('authorization', `Bearer ${this.token}`);
    void sent.expect(Administration.answers.check);
    if (ifMatch !== undefined) void sent.set('if-match', ifMatch);
    return body === undefined ? sent : sent.send(body);
  }

  get(path: string): request.Test {
    return this.call('get', path);
  }

  post(path: string, body?: object): request.Test {
    return this.call('post', path, { body });
  }

  patch(path: string, body: object, ifMatch?: string): request.Test {
    return this.call('patch', path, { body, ifMatch });
  }

  delete(path: string): request.Test {
    return this.call('delete', path);
  }
}
