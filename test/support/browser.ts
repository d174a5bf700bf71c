import request from 'supertest';
import { apiDocuments } from './api-documents.js';
import { DescribedAnswers } from './described-answers.js';

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

/** What the administration API answers of whoever is signed in. */
export interface SessionBody {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly operator: boolean;
    readonly has_password: boolean;
  };
  readonly memberships: readonly { readonly account_id: string; readonly account_name: string; readonly role: string }[];
  readonly csrf_token: string;
  readonly expires_at: string;
}

/**
 * Calls the administration API as a page does: with the cookies that it was given, and the token against forgery. Every
 * answer must be as it is described.
 */
export class Browser {
  static readonly answers = new DescribedAnswers(apiDocuments.administration);

  readonly #cookies = new Map<string, string>();
  csrfToken: string | undefined;

  constructor(readonly url: string) {}

  /** The `set-cookie` header of the last answer that had one. */
  lastSetCookie: string | undefined;

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  cookie(name = 'switchyard_session'): string | undefined {
    return this.#cookies.get(name);
  }

  async call(method: Method, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<request.Response> {
    const client = request(this.url);
    const sent = client[method](path.startsWith('/') ? path : `/admin/v1/${path}`);
    void sent.redirects(0).expect(Browser.answers.check);
    if (this.cookies !== '') void sent.set('cookie', this.cookies);
    if (method !== 'get') void sent.set('origin', this.url);
    if (method !== 'get' && this.csrfToken !== undefined) void sent.set('x-csrf-token', this.csrfToken);
    for (const [name, value] of Object.entries(headers)) void sent.set(name, value);
    const answer = await (body === undefined ? sent : sent.send(body));
    for (const line of (answer.headers['set-cookie'] as unknown as string[] | undefined) ?? []) this.#take(line);
    const token = (answer.body as Partial<SessionBody> | undefined)?.csrf_token;
    if (typeof token === 'string') this.csrfToken = token;
    return answer;
  }

  get(path: string): Promise<request.Response> {
    return this.call('get', path);
  }

  post(path: string, body?: object): Promise<request.Response> {
    return this.call('post', path, body);
  }

  #take(line: string): void {
    this.lastSetCookie = line;
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
