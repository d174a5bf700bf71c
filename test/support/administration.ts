import request from 'supertest';
import { AdminTokenStore } from '../../src/auth/administration/admin-token-store.js';
import type { AdminRole } from '../../src/auth/administration/administrator.js';
import { Database } from '../../src/database/database.js';
import { MemberStore } from '../../src/people/member-store.js';
import { PersonStore } from '../../src/people/person-store.js';
import { SignInLinks } from '../../src/people/sign-in/sign-in-links.js';
import { Browser } from './browser.js';
import type { TestApp } from './create-test-app.js';

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

export interface Call {
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
}

let people = 0;

/**
 * Calls the administration API of a listening gateway with one token, or in one session. Every answer must be as it is
 * described.
 */
export class Administration {
  static readonly answers = Browser.answers;

  constructor(
    readonly url: string,
    readonly token: string,
    readonly tokenId = '',
    private readonly browser?: Browser,
    readonly personId = '',
  ) {}

  /** @param url of its port; absent: that of the customers */
  static async as(running: Pick<TestApp, 'app' | 'url'>, role: AdminRole, accountId?: string, url = running.url): Promise<Administration> {
    const { token, adminToken } = await running.app.get(AdminTokenStore).create({ role, accountId });
    return new Administration(url, token, adminToken.id);
  }

  /** In the session of somebody who has just been made, and has signed in by a link. */
  static async signedIn({ app, url }: Pick<TestApp, 'app' | 'url'>, role: AdminRole, accountId?: string): Promise<Administration> {
    const id = await app.get(Database).change('person', async (trx, version) => {
      const email = `${role}-${++people}@example.com`;
      const person = await app.get(PersonStore).insert(trx, version, { email, name: role, operator: role === 'operator' });
      if (role !== 'operator') await app.get(MemberStore).put(trx, version, accountId!, person.id, role, async () => {});
      return person.id;
    });
    const browser = new Browser(url);
    await browser.post('session/link', { token: (await app.get(SignInLinks).make(id)).token });
    return new Administration(url, '', '', browser, id);
  }

  call(method: Method, path: string, { body, ifMatch }: Call = {}): request.Test {
    const sent = request(this.url)[method](`/admin/v1/${path}`).expect(Administration.answers.check);
    if (this.browser) void sent.set('cookie', this.browser.cookies).set('x-csrf-token', this.browser.csrfToken!);
    else void sent.set('authorization', `Bearer ${this.token}`);
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
