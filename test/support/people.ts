import { Database } from '../../src/database/database.js';
import type { Schema } from '../../src/database/schema.js';
import { PersonStore } from '../../src/people/person-store.js';
import { SignInLinks } from '../../src/people/sign-in/sign-in-links.js';
import { Browser } from './browser.js';
import type { TestApp } from './create-test-app.js';

export const PASSWORD = 'correct horse battery';

/** Makes people in the store of a listening gateway, and signs them in. */
export class People {
  constructor(private readonly gateway: { readonly running: Pick<TestApp, 'app' | 'url'> }) {}

  /** Somebody who has just been made. */
  insert(email: string, passwordHash?: string): Promise<{ id: string }> {
    const { app } = this.gateway.running;
    const person = { email, name: 'Somebody', passwordHash };
    return app.get(Database).change('person', (trx, version) => app.get(PersonStore).insert(trx, version, person));
  }

  /** What a link has that signs somebody in. */
  async linkFor(email: string): Promise<string> {
    const { app } = this.gateway.running;
    const person = await app.get(PersonStore).withEmail(email);
    return (await app.get(SignInLinks).make(person!.id)).token;
  }

  async signedIn(link: string): Promise<Browser> {
    const browser = new Browser(this.gateway.running.url);
    expect((await browser.post('session/link', { token: link })).status).toBe(200);
    return browser;
  }

  /** Signed in by a link, as somebody who has just been made. */
  async somebody(email: string): Promise<Browser> {
    await this.insert(email);
    return this.signedIn(await this.linkFor(email));
  }

  /** All rows of a table, as JSON. */
  async stored(table: keyof Schema): Promise<string> {
    const rows = await this.gateway.running.app.get(Database).db.selectFrom(table).selectAll().execute();
    return JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  }
}

export const refusal = (status: number, code: string): unknown =>
  expect.objectContaining({ status, body: { error: expect.objectContaining({ code }) } });
