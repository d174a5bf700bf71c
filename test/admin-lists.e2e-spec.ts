import { PersonStore } from '../src/people/person-store.js';
import { Database } from '../src/database/database.js';
import { MemberStore } from '../src/people/member-store.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { useGateway, useOperator } from './support/started.js';

type Row = Readonly<Record<string, unknown>>;

const models = {
  'acme-large': { pricing: { prompt: 5, completion: 1 }, context_length: 9_000, capabilities: { chat: true, vision: true } },
  'acme-small': { pricing: { prompt: 1, completion: 2 }, context_length: 30_000, capabilities: { chat: true } },
};

describeGateways('Lists of the administration', (start) => {
  const gateway = useGateway(() =>
    start({ providers: { vendor: { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1', api_key: 'none', models } } }),
  );
  const operator = useOperator(gateway);
  const account = 'found-1';
  const path = `accounts/${account}`;

  beforeAll(async () => {
    for (const [id, name] of [
      [account, '100% Äpfel'],
      ['found-2', '1000 äpfel_'],
      ['other-3', 'FOUND here'],
    ])
      await operator.post('accounts', { id, name }).expect(200);
    for (const [id, name] of [
      ['project-a', 'Search'],
      ['project-b', 'Research'],
    ])
      await operator.post(`${path}/projects`, { id, name }).expect(200);
    for (const [id, label, environment] of [
      ['key-a', 'Nightly batch', 'test'],
      ['key-b', 'Batch 50%', 'live'],
      ['key-c', 'Website', 'test'],
    ])
      await operator.post(`${path}/keys`, { id, label, environment }).expect(200);
    await operator.post('accounts/found-2/keys', { id: 'key-d', label: 'Batch', environment: 'test' }).expect(200);
    await operator.delete(`${path}/keys/key-c`).expect(200);
    const { app } = gateway.running;
    await app.get(Database).change('person', async (trx, version) => {
      for (const [email, name, role] of [
        ['ann@example.com', 'Ann Archer', 'owner'],
        ['bob@archers.example', 'Bob', 'viewer'],
      ] as const) {
        const { id } = await app.get(PersonStore).insert(trx, version, { email, name });
        await app.get(MemberStore).put(trx, version, account, id, role, async () => {});
      }
    });
  });

  const page = async (address: string, as = operator) => (await as.get(address).expect(200)).body as { data: Row[]; next: string | null };
  const namesIn = ({ data }: { data: Row[] }) => data.map(({ id, email, model }) => id ?? email ?? model);
  const names = async (address: string) => namesIn(await page(address));

  it.each([
    ['accounts?search=found', ['found-1', 'found-2', 'other-3']],
    ['accounts?search=FOUND-', ['found-1', 'found-2']],
    ['accounts?search=100%25', ['found-1']],
    ['accounts?search=pfel_', ['found-2']],
    ['accounts?search=%5C', []],
    [`${path}/projects?search=SEARCH`, ['project-a', 'project-b']],
    [`${path}/projects?search=project-b`, ['project-b']],
    [`${path}/projects?ids=project-b,nothing`, ['project-b']],
    [`${path}/keys?search=batch`, ['key-a', 'key-b']],
    [`${path}/keys?search=50%25`, ['key-b']],
    [`${path}/keys?search=sy-live-`, ['key-b']],
    [`${path}/keys?environment=test&newest_first=true`, ['key-c', 'key-a']],
    [`${path}/keys?active=true`, ['key-a', 'key-b']],
    [`${path}/keys?ids=key-c,key-d`, ['key-c']],
    [`${path}/members?search=archer`, ['ann@example.com', 'bob@archers.example']],
    [`${path}/members?search=archers`, ['bob@archers.example']],
    [`${path}/members?role=owner`, ['ann@example.com']],
    ['users?search=ann%20a', [expect.stringMatching(/^usr_/)]],
    [`${path}/models?search=ACME`, ['acme-large', 'acme-small']],
    [`${path}/models?search=vendor`, ['acme-large', 'acme-small']],
    [`${path}/models?search=acme&capabilities=vision,chat`, ['acme-large']],
    [`${path}/models?search=acme&order=prompt`, ['acme-small', 'acme-large']],
    [`${path}/models?search=acme&order=completion&descending=true`, ['acme-small', 'acme-large']],
    ['models?search=small', ['acme-small']],
    ['models?search=vendor', ['acme-large', 'acme-small']],
    ['providers?search=127.0.0.1:9', ['vendor']],
    ['providers?search=OPENAI-comp', ['vendor']],
  ])('find by a part of a name or id, and what else they are asked for: %s', async (address, expected) => {
    expect(await names(address)).toEqual(expected);
  });

  it('find the same, page by page', async () => {
    for (const address of [
      'accounts?search=found',
      `${path}/keys?newest_first=true`,
      `${path}/projects?search=search`,
      `${path}/members?search=archer`,
      `${path}/models?search=acme&order=latency`,
      `${path}/models?search=acme&order=id&descending=true`,
    ]) {
      const found = [];
      for (let after = ''; ;) {
        const one = await page(`${address}&limit=1${after}`);
        expect(one.data).toHaveLength(1);
        found.push(...namesIn(one));
        if (one.next === null) break;
        after = `&after=${encodeURIComponent(one.next)}`;
      }
      expect([address, found]).toEqual([address, await names(address)]);
      expect(found.length).toBeGreaterThan(1);
    }
  });

  it('tell what is out of service, and switches of what nobody offers', async () => {
    await operator.post('models/acme-small/disable', { provider: 'vendor' }).expect(200);
    await operator.post('models/forgotten/disable', { force: true }).expect(200);
    expect(await names('models?out_of_service=true&search=acme')).toEqual(['acme-small']);
    expect(await names('model-switches?offered=false')).toEqual(['forgotten']);
    expect(await names('model-switches?offered=true')).toEqual(['acme-small']);
    expect(await names(`${path}/models?search=acme&active=true`)).toEqual(['acme-large']);
  });

  it('find nothing of another account for its members', async () => {
    const viewer = await Administration.as(gateway.running, 'viewer', 'found-2');
    expect(namesIn(await page('accounts/found-2/keys?search=batch', viewer))).toEqual(['key-d']);
    expect(namesIn(await page('accounts/found-2/keys?ids=key-a,key-d', viewer))).toEqual(['key-d']);
    expectEnvelope(await viewer.get(`${path}/keys?search=batch`), 404, 'not_found');
    expectEnvelope(await viewer.get('accounts?search=found'), 403, 'permission_denied');
  });

  it('refuse what cannot be searched for', async () => {
    for (const query of ['search=', 'search=%00', 'ids=', `ids=${'a,'.repeat(200)}a`, 'active=yes', 'environment=all'])
      expectEnvelope(await operator.get(`${path}/keys?${query}`), 400, 'invalid_request');
    for (const query of ['order=price', 'capabilities=flying', 'after=nothing'])
      expectEnvelope(await operator.get(`${path}/models?${query}`), 400, 'invalid_request');
  });
});
