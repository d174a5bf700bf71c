import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { startedEach } from '../common/testing/started.js';
import { systemClock } from '../common/time/clock.js';
import { ConfigService } from '../config/config.service.js';
import type { Database } from '../database/database.js';
import { TemporaryStore } from '../database/testing/temporary-store.js';
import { AccountStore } from './account-store.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { ApiKeyService } from './api-key.service.js';
import { ApiKeyStore } from './api-key-store.js';
import { KeyDirectory, MAX_EXPIRED } from './key-directory.js';
import { loadPepper } from './pepper.js';
import { ProjectStore } from './project-store.js';

describe('API keys', () => {
  const store = startedEach(() => new TemporaryStore(), 'remove');

  /** The stores and services of one process, the gateway or the command line. */
  async function start(database?: Database) {
    database ??= await store.open();
    const hasher = new ApiKeyHasher(await loadPepper(store.config, database));
    const service = new ApiKeyService(database, hasher, systemClock);
    await service.onModuleInit();
    return {
      database,
      service,
      accounts: new AccountStore(database),
      projects: new ProjectStore(database, new ConfigService(store.config)),
      keys: new ApiKeyStore(database, hasher, new ConfigService(store.config)),
    };
  }

  const refusal = (code: string) => expect.objectContaining({ status: 401, code });

  it('says whose a key is, at once after it was made', async () => {
    const { service, accounts, keys } = await start();
    const account = await accounts.create('Acme');
    for (const environment of ['live', 'test'] as const) {
      const { key, apiKey } = await keys.create({ accountId: account.id, environment });
      expect(service.authenticate(`Bearer ${key}`)).toEqual({ keyId: apiKey.id, accountId: account.id, environment });
    }
  });

  it('refuses no key, and any other text, in the specification’s words', async () => {
    const { service } = await start();
    expect(() => service.authenticate(undefined)).toThrow(refusal('missing_api_key'));
    expect(() => service.authenticate('Bearer ')).toThrow('No API key provided');
    for (const header of [
      'Bearer x',
      `Bearer sy-live-${'a'.repeat(32)}`,
      'Basic eDp5',
      `Bearer ${'a'.repeat(100_000)}`,
      'Bearer \u0000\u{1f600}',
    ])
      expect(() => service.authenticate(header)).toThrow(refusal('invalid_api_key'));
    expect(() => service.authenticate('Bearer x')).toThrow('Invalid API key provided');
  });

  it('takes a key only as a bearer token', async () => {
    const { service, accounts, keys } = await start();
    const { key } = await keys.create({ accountId: (await accounts.create('Acme')).id, environment: 'live' });
    for (const header of [key, `Basic ${key}`, `Bearer ${key}x`, `Bearer ${key.toLowerCase()}`])
      expect(() => service.authenticate(header)).toThrow(refusal('invalid_api_key'));
  });

  it('refuses a revoked key as if it had never been', async () => {
    const { service, accounts, keys } = await start();
    const { key, apiKey } = await keys.create({ accountId: (await accounts.create('Acme')).id, environment: 'live' });
    expect(service.authenticate(`Bearer ${key}`).keyId).toBe(apiKey.id);
    const revoked = await keys.revoke(apiKey.id);
    expect(revoked?.revokedAt).toBeDefined();
    expect(() => service.authenticate(`Bearer ${key}`)).toThrow(refusal('invalid_api_key'));
    expect(await keys.revoke(apiKey.id)).toEqual(revoked);
    expect(await keys.revoke('key_nobody')).toBeUndefined();
  });

  it('says that a key has expired', async () => {
    const { service, accounts, keys } = await start();
    const accountId = (await accounts.create('Acme')).id;
    const past = await keys.create({ accountId, environment: 'live', expiresAt: Date.now() - 1 });
    const future = await keys.create({ accountId, environment: 'live', expiresAt: Date.now() + 60_000 });
    expect(() => service.authenticate(`Bearer ${past.key}`)).toThrow(refusal('expired_api_key'));
    expect(service.authenticate(`Bearer ${future.key}`).keyId).toBe(future.apiKey.id);
  });

  it('sees soon what another process has made and revoked', async () => {
    const [gateway, commandLine] = [await start(), await start()];
    const { key, apiKey } = await commandLine.keys.create({
      accountId: (await commandLine.accounts.create('Acme')).id,
      environment: 'live',
    });
    const accepted = () => {
      try {
        return gateway.service.authenticate(`Bearer ${key}`).keyId === apiKey.id;
      } catch {
        return false;
      }
    };
    const until = async (wanted: boolean) => {
      // Milliseconds, of which most are the machine's: the gateway looks every half second.
      const deadline = Date.now() + 10_000;
      while (accepted() !== wanted && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(accepted()).toBe(wanted);
    };
    await until(true);
    await commandLine.keys.revoke(apiKey.id);
    await until(false);
  });

  it('keeps keys over a restart, and keeps neither key nor pepper in the store', async () => {
    const first = await start();
    const { key, apiKey } = await first.keys.create({
      accountId: (await first.accounts.create('Acme')).id,
      environment: 'live',
      label: 'ci',
    });
    await first.database.close();
    const second = await start();
    expect(second.service.authenticate(`Bearer ${key}`).keyId).toBe(apiKey.id);
    expect(await second.keys.list(apiKey.accountId)).toEqual([apiKey]);
    expect(apiKey.display).toBe(`${key.slice(0, 12)}...${key.slice(-4)}`);
    const pepper = readFileSync(join(store.dataDir, 'pepper'), 'utf8');
    for (const file of readdirSync(store.dataDir).filter((name) => name.startsWith('switchyard.db'))) {
      const bytes = readFileSync(join(store.dataDir, file)).toString('latin1');
      expect(bytes).not.toContain(key.slice(-32));
      expect(bytes).not.toContain(pepper);
    }
  });

  it('makes one pepper for its owner alone, however many processes start together', async () => {
    const processes = await Promise.all([start(), start(), start()]);
    const { key } = await processes[0].keys.create({ accountId: (await processes[0].accounts.create('Acme')).id, environment: 'live' });
    await processes[2].database.look();
    expect(processes[2].service.authenticate(`Bearer ${key}`).environment).toBe('live');
    expect(statSync(join(store.dataDir, 'pepper')).mode & 0o777).toBe(0o600);
    expect(readdirSync(store.dataDir).filter((name) => name.startsWith('pepper'))).toEqual(['pepper']);
  });

  it('refuses to start with a pepper that the keys were not made with', async () => {
    await start();
    const file = join(store.dataDir, 'pepper');
    rmSync(file);
    const missing = { name: 'StoreError', kind: 'pepper', message: expect.stringContaining('it is missing') };
    await expect(start()).rejects.toMatchObject(missing);
    // What it left in place of the right one would look like it.
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, 'p'.repeat(43));
    await expect(start()).rejects.toMatchObject({ kind: 'pepper', message: expect.stringContaining('is not the one') });
  });

  it.each(['', 'x', 'p'.repeat(31)])('begins no store with the pepper %p', async (pepper) => {
    mkdirSync(store.dataDir, { mode: 0o700 });
    writeFileSync(join(store.dataDir, 'pepper'), `${pepper}\n`);
    await expect(start()).rejects.toMatchObject({ kind: 'pepper', message: expect.stringContaining('fewer than 32 characters') });
  });

  it('asks for a pepper where several gateways share a store', async () => {
    const database = await store.open();
    const config = store.config;
    config.store.database_url = 'postgres://localhost/switchyard';
    await expect(loadPepper(config, database)).rejects.toMatchObject({
      kind: 'pepper',
      message: expect.stringContaining('SWITCHYARD_PEPPER'),
    });
    config.keys.pepper = 'p'.repeat(32);
    await expect(loadPepper(config, database)).resolves.toBeDefined();
  });

  it('puts the rules of key, project and account on the principal, and follows their changes', async () => {
    const { service, accounts, projects, keys } = await start();
    const account = await accounts.create('Acme');
    const project = await projects.create({ accountId: account.id, name: 'search', rules: { requests_per_minute: 60 } });
    const { key } = await keys.create({ accountId: account.id, projectId: project.id, environment: 'live', rules: { concurrency: 2 } });
    const subjects = () => service.authenticate(`Bearer ${key}`).rules?.limits.map(({ kind }) => kind);
    expect(subjects()).toEqual(['key', 'project']);
    await accounts.change(account.id, { rules: { tokens_per_minute: 1_000 } });
    expect(subjects()).toEqual(['key', 'project', 'account']);
    await projects.change(project.id, { rules: {} });
    expect(subjects()).toEqual(['key', 'account']);
    await expect(projects.change(project.id, { rules: { requests_per_minute: 0 } })).rejects.toThrow(RangeError);
  });

  it('refuses the keys of a project that has ended, and tells so', async () => {
    const { service, accounts, projects, keys } = await start();
    const account = await accounts.create('Acme');
    const project = await projects.create({ accountId: account.id, name: 'search' });
    const { key, apiKey } = await keys.create({ accountId: account.id, projectId: project.id, environment: 'live' });
    const ended: string[] = [];
    service.ended.subscribe((errors) => ended.push(...errors.keys()));
    const archived = await projects.archive(project.id);
    expect(() => service.authenticate(`Bearer ${key}`)).toThrow(refusal('invalid_api_key'));
    expect(ended).toEqual([apiKey.id]);
    expect(await projects.archive(project.id)).toEqual(archived);
  });

  it('rejects the keys of an account while it is not active, also after a restart', async () => {
    const { database, service, accounts, keys } = await start();
    const { id: accountId } = await accounts.create('Acme');
    const { key, apiKey } = await keys.create({ accountId, environment: 'live', expiresAt: Date.now() + 60_000 });
    const ended: string[] = [];
    service.ended.subscribe((errors) => ended.push(...errors.keys()));
    for (const status of ['suspended', 'closed'] as const) {
      await accounts.change(accountId, { status: 'active' });
      for (const one of [service, (await start(database)).service]) expect(one.authenticate(`Bearer ${key}`).keyId).toBe(apiKey.id);
      await accounts.change(accountId, { status });
      expect(ended.splice(0)).toEqual([apiKey.id]);
      for (const one of [service, (await start(database)).service]) {
        expect(() => one.authenticate(`Bearer ${key}`)).toThrow(refusal('invalid_api_key'));
        expect(one.withId(apiKey.id)).toBeUndefined();
      }
    }
    expect(await accounts.change(accountId, { status: 'active' })).toBeUndefined();
    await expect(accounts.create('Acme')).rejects.toThrow('there already is an account named Acme');
    await accounts.change(accountId, { name: 'Acme, closed' });
    await accounts.create('Acme');
  });

  it('ends a project once, also where several do so at the same time', async () => {
    const { accounts, projects } = await start();
    const { id: accountId } = await accounts.create('Acme');
    const { id } = await projects.create({ accountId, name: 'search' });
    let times = 0;
    const beside = async () => void times++;
    const archived = await Promise.all(Array.from({ length: 3 }, () => projects.archive(id, { beside })));
    expect(archived).toEqual(Array.from({ length: 3 }, () => archived[0]));
    expect(times).toBe(1);
    expect(await projects.archive('none')).toBeUndefined();
  });

  it('takes a key and its successor until the end of the grace, under one set of limits', async () => {
    const { service, accounts, keys } = await start();
    const { id: accountId } = await accounts.create('Acme');
    const old = await keys.create({ accountId, environment: 'live', label: 'ci', rules: { concurrency: 2 }, metadata: { team: 'search' } });
    const next = (await keys.rotate(old.apiKey.id, 60_000))!;
    const third = (await keys.rotate(next.apiKey.id, 0))!;
    expect(third.apiKey).toMatchObject({ label: 'ci', metadata: { team: 'search' }, firstId: old.apiKey.id, expiresAt: undefined });
    const subject = ({ key }: { key: string }) => service.authenticate(`Bearer ${key}`).rules!.limits[0]!.subject;
    expect(subject(third)).toBe(subject(old));
    expect(() => service.authenticate(`Bearer ${next.key}`)).toThrow(refusal('expired_api_key'));
    await keys.revoke(old.apiKey.id);
    expect(await keys.rotate(old.apiKey.id, 0)).toBeUndefined();
  });

  it('rotates a key again while it works, and gives each successor the expiry that the key had', async () => {
    const { service, accounts, keys } = await start();
    const { id: accountId } = await accounts.create('Acme');
    const expiresAt = Date.now() + 3_600_000;
    for (const end of [undefined, expiresAt]) {
      const { apiKey } = await keys.create({ accountId, environment: 'live', expiresAt: end });
      const lost = (await keys.rotate(apiKey.id, 1_000))!;
      const again = (await keys.rotate(apiKey.id, 60_000))!;
      const next = (await keys.rotate(again.apiKey.id, 0))!;
      const last = (await keys.rotate(apiKey.id, 0))!;
      for (const { key } of [lost, next, last]) expect(service.authenticate(`Bearer ${key}`)).toMatchObject({ accountId });
      expect([lost, next, last].map((made) => made.apiKey.expiresAt)).toEqual([end, end, end]);
      expect(await keys.rotate(apiKey.id, 0)).toBeUndefined();
    }
  });

  it('has no successor of a key that somebody else has just revoked or given other rules', async () => {
    const { accounts, keys } = await start();
    const { id: accountId } = await accounts.create('Acme');
    for (let round = 0; round < 20; round++) {
      const { apiKey } = await keys.create({ accountId, environment: 'live' });
      const rotations = [1, 2, 3].map(() => keys.rotate(apiKey.id, 60_000));
      const change = await keys.change(apiKey.id, { rules: { operations: ['models'] } });
      const more = [1, 2, 3].map(() => keys.rotate(apiKey.id, 60_000));
      const revoked = (await keys.revoke(apiKey.id))!;
      for (const made of await Promise.all([...rotations, ...more])) {
        if (made === undefined) continue;
        expect(made.apiKey.version).toBeLessThan(revoked.version);
        expect(made.apiKey.rules).toEqual(made.apiKey.version < change!.version ? {} : { operations: ['models'] });
      }
    }
  });

  it('revokes a key only in the version that is asked for', async () => {
    const { accounts, keys } = await start();
    const { id: accountId } = await accounts.create('Acme');
    const { apiKey } = await keys.create({ accountId, environment: 'live' });
    await keys.change(apiKey.id, { label: 'changed meanwhile' });
    expect(await keys.revoke(apiKey.id, { ifVersion: apiKey.version })).toMatchObject({ revokedAt: undefined });
    expect(await keys.revoke(apiKey.id, { ifVersion: (await keys.find(apiKey.id))!.version })).toMatchObject({
      revokedAt: expect.any(Number),
    });
  });

  it('changes what is given of a key', async () => {
    const { service, accounts, keys } = await start();
    const { id: accountId } = await accounts.create('Acme');
    const { key, apiKey } = await keys.create({ accountId, environment: 'test', label: 'ci', expiresAt: Date.now() + 60_000 });
    const changed = await keys.change(apiKey.id, { rules: { operations: ['chat'] }, expiresAt: null });
    expect(changed).toMatchObject({ label: 'ci', rules: { operations: ['chat'] }, expiresAt: undefined });
    expect(changed!.version > apiKey.version).toBe(true);
    expect(service.authenticate(`Bearer ${key}`).rules!.operations!.has('models')).toBe(false);
    await expect(keys.change(apiKey.id, { metadata: { long: 'x'.repeat(513) } })).rejects.toThrow(RangeError);
    expect(await keys.change('key_nobody', { label: '' })).toBeUndefined();
  });

  it('knows accounts by id and by name, and each name once', async () => {
    const { accounts } = await start();
    const acme = await accounts.create('  Acme ');
    expect(acme.name).toBe('Acme');
    await expect(accounts.create('Acme')).rejects.toThrow('there already is an account named Acme');
    await expect(accounts.create(' ')).rejects.toThrow(RangeError);
    expect(await accounts.find('Acme')).toEqual(acme);
    expect(await accounts.find(acme.id)).toEqual(acme);
    expect(await accounts.find('system:grants')).toBeUndefined();
    expect(await accounts.list()).toEqual([acme]);
    const globex = await accounts.create('Globex', { id: 'acme-labs' });
    const named = await accounts.create('acme-labs');
    const why = `'acme-labs' is the id of the account Globex and the name of another: give the name 'Globex' or the id '${named.id}'`;
    await expect(accounts.find('acme-labs')).rejects.toThrow(new RangeError(why));
    expect([await accounts.find('Globex'), await accounts.find(named.id)]).toEqual([globex, named]);
  });

  describe('beyond what an account may have', () => {
    const limits = { keys_per_account: 3, projects_per_account: 2, rules_per_account: 1_024 };

    async function limited() {
      const database = await store.open();
      const config = new ConfigService({ ...store.config, limits: { ...store.config.limits, ...limits } });
      const started = await start(database);
      const hasher = new ApiKeyHasher(await loadPepper(store.config, database));
      const { id: accountId } = await started.accounts.create('Acme');
      const { id: other } = await started.accounts.create('Globex');
      return {
        ...started,
        accountId,
        other,
        keys: new ApiKeyStore(database, hasher, config),
        projects: new ProjectStore(database, config),
      };
    }

    it('are refused, those of others are not, and one that has ended makes room', async () => {
      const { accountId, other, keys, service } = await limited();
      const create = (more: object = {}) => keys.create({ accountId, environment: 'live', ...more });
      const first = await create();
      await create({ expiresAt: systemClock.now() + 60_000 });
      await create({ expiresAt: systemClock.now() - 1 });
      const last = await create();
      for (const one of [create(), create({ environment: 'test' }), keys.rotate(first.apiKey.id, 60_000)])
        await expect(one).rejects.toThrow('the account may have 3 valid keys (limits.keys_per_account)');
      expect(await keys.list(accountId)).toHaveLength(4);
      await keys.create({ accountId: other, environment: 'live' });
      await keys.revoke(first.apiKey.id);
      const { key } = await create();
      expect(service.authenticate(`Bearer ${key}`).accountId).toBe(accountId);
      await expect(create()).rejects.toThrow(RangeError);
      await keys.revoke(last.apiKey.id);
      await create();
    });

    it('are refused as projects, too', async () => {
      const { accountId, other, projects } = await limited();
      const { id } = await projects.create({ accountId, name: 'one' });
      await projects.create({ accountId, name: 'two' });
      await expect(projects.create({ accountId, name: 'three' })).rejects.toThrow('may have 2 open projects (limits.projects_per_account)');
      await projects.create({ accountId: other, name: 'three' });
      await projects.archive(id);
      await projects.create({ accountId, name: 'three' });
    });

    it('are refused where their rules and metadata have too many bytes together, and may always have fewer', async () => {
      const { accountId, keys, projects } = await limited();
      const rules = (length: number) => ({ models: { allow: ['x'.repeat(length)] } });
      const refused = 'may have 1024 bytes together (limits.rules_per_account)';
      const { apiKey } = await keys.create({ accountId, environment: 'live', rules: rules(250) });
      const project = await projects.create({ accountId, name: 'one', rules: rules(250) });
      await keys.create({ accountId, environment: 'live', metadata: { a: 'x'.repeat(300) } });
      await expect(keys.create({ accountId, environment: 'live', rules: rules(250) })).rejects.toThrow(refused);
      await expect(projects.create({ accountId, name: 'two', rules: rules(250) })).rejects.toThrow(refused);
      await expect(keys.change(apiKey.id, { metadata: { a: 'x'.repeat(300) } })).rejects.toThrow(refused);
      await expect(projects.change(project.id, { rules: { ...rules(250), providers: { deny: ['x'.repeat(200)] } } })).rejects.toThrow(
        refused,
      );
      expect(await keys.find(apiKey.id)).toMatchObject({ metadata: {} });
      await projects.change(project.id, { rules: rules(10) });
      await keys.change(apiKey.id, { rules: rules(200) });
      await keys.change(apiKey.id, { rules: rules(100), metadata: { a: 'x'.repeat(200) } });
    });
  });

  describe('that have ended', () => {
    it('are not in the memory of a gateway that starts, however many; its clients hear what became of theirs', async () => {
      const first = await start();
      const { id: accountId } = await first.accounts.create('Acme');
      const project = await first.projects.create({ accountId, name: 'old', rules: { concurrency: 1 } });
      const make = (more: object = {}) => first.keys.create({ accountId, environment: 'live', ...more });
      const valid = await make({ rules: { concurrency: 3 } });
      const revoked = await make();
      await first.keys.revoke(revoked.apiKey.id);
      const expired = await make({ expiresAt: systemClock.now() - 1 });
      const archived = await make({ projectId: project.id });
      await first.projects.archive(project.id);

      const statements = jest.spyOn(KeyDirectory.prototype, 'update');
      const { service, database } = await start(await store.open());
      expect(statements.mock.calls[0]![0].map(({ id }) => id)).toEqual([valid.apiKey.id, archived.apiKey.id]);
      expect(statements.mock.calls[0]![1]).toEqual([]);
      statements.mockRestore();
      expect(service.authenticate(`Bearer ${valid.key}`).rules).toMatchObject({ limits: [{ concurrency: 3 }] });
      expect(() => service.authenticate(`Bearer ${revoked.key}`)).toThrow(refusal('invalid_api_key'));
      expect(() => service.authenticate(`Bearer ${archived.key}`)).toThrow(refusal('invalid_api_key'));
      expect(() => service.authenticate(`Bearer ${expired.key}`)).toThrow(refusal('expired_api_key'));

      // What is changed afterwards is heard of, and so is a key that lives on.
      await first.keys.change(expired.apiKey.id, { expiresAt: null });
      const later = await make({ projectId: (await first.projects.create({ accountId, name: 'new', rules: { concurrency: 2 } })).id });
      await database.look();
      expect(service.authenticate(`Bearer ${expired.key}`).keyId).toBe(expired.apiKey.id);
      expect(service.authenticate(`Bearer ${later.key}`).rules).toMatchObject({ limits: [{ kind: 'project', concurrency: 2 }] });
    });

    it('are remembered without their rules, and only the last of them', () => {
      const directory = new KeyDirectory();
      const row = (n: number) => ({
        id: `key_${n}`,
        account_id: 'a',
        project_id: null,
        environment: 'live' as const,
        digest: n.toString(16).padStart(64, '0'),
        rules: '{"concurrency":1}',
        first_id: null,
        expires_at: 1n,
        revoked_at: null,
      });
      const find = (n: number) => directory.find(Buffer.from(row(n).digest, 'hex').toString('latin1'));
      directory.update([row(0), row(1)], [], []);
      expect(find(0)!.principal.rules).toMatchObject({ limits: [{ concurrency: 1 }] });
      directory.expireId('key_0');
      expect([directory.has('key_0'), directory.withId('key_0'), find(0)!.principal.rules]).toEqual([false, undefined, undefined]);
      for (let n = 2; n < MAX_EXPIRED + 1; n++) directory.expire(row(n));
      expect(find(0)).toBeDefined();
      directory.expireId('key_1');
      expect(find(0)).toBeUndefined();
      expect(find(1)).toMatchObject({ expiresAt: 1, principal: { keyId: 'key_1' } });
    });
  });
});
