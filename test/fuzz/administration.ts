import { commandLine } from '../support/command-line.ts';

/** What addresses can name: one thing that stays, and one that may be deleted, by the address of their list. */
export type Things = Readonly<Record<string, readonly [kept: string, spare: string]>>;

/** Bodies that chance would not find, by method and address. */
export type Bodies = Readonly<Record<string, object>>;

export interface Administration {
  /** Of an operator. */
  readonly token: string;
  readonly things: Things;
  readonly bodies: Bodies;
}

interface Made {
  readonly id: string;
  readonly key?: string;
  readonly link?: string;
}

const provider = { settings: { base_url: 'http://127.0.0.1:9/v1', models: { fuzz: {} } } };
const request = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 };

/** Nobody listens there. */
const nobody = { url: 'http://127.0.0.1:9/', events: ['key.revoked'] };

/** What makes one of a list. */
const making: Readonly<Record<string, (which: string) => object>> = {
  accounts: (which) => ({ name: `Fuzz ${which}` }),
  'accounts/{account}/projects': (which) => ({ name: `Fuzz ${which}` }),
  'accounts/{account}/keys': () => ({ environment: 'test' }),
  'accounts/{account}/tokens': () => ({ role: 'viewer' }),
  'accounts/{account}/invitations': (which) => ({ email: `invited-${which}@example.com`, role: 'viewer' }),
  'accounts/{account}/webhooks': () => nobody,
  'operators/invitations': (which) => ({ email: `operator-${which}@example.com` }),
  providers: (which) => ({ id: `fuzz-${which}`, ...provider }),
  tokens: () => ({ label: 'fuzz' }),
  webhooks: () => nobody,
};

const bodies: Bodies = {
  'POST /v1/chat/completions': request,
  'POST providers': provider,
  'POST providers/try': { ...provider, timeout: 1_000 },
  'POST webhooks': nobody,
  'POST accounts/{account}/webhooks': nobody,
  'POST accounts/{account}/invitations': { email: 'fuzz@example.com', role: 'viewer' },
  'POST webhooks/{webhook}/rotate': {},
  'POST operators/invitations': { email: 'fuzz@example.com' },
  'POST invitations/{token}/accept': { name: 'Fuzz', password: 'a long password' },
  'POST routing/try': { request },
  'POST accounts/{account}/playground/chat/completions': request,
  'POST accounts/{account}/playground/completions': { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 },
};

/** Makes an operator's token and, with it, two of each kind of thing that addresses name. */
export async function makeAdministration(program: string, cwd: string, url: string): Promise<Administration> {
  const { token } = (await commandLine(program, { cwd })('tokens', 'create', '--role', 'operator')) as { token: string };
  const api = new Api(url, token);
  const things: Record<string, [string, string]> = {};
  for (const [list, body] of Object.entries(making)) {
    const path = list.replace('{account}', things['accounts']?.[0] ?? '');
    const [kept, spare] = [await api.post(path, body('kept')), await api.post(path, body('spare'))];
    things[list] = [kept.id, spare.id];
    if (list !== 'accounts/{account}/keys') continue;
    const account = path.split('/')[1]!;
    await api.post(`accounts/${account}/credits/grants`, { id: 'fuzz', environment: 'test', amount: '1' });
    const answered = await complete(url, kept.key!);
    for (const requests of ['requests', 'accounts/{account}/requests']) things[requests] = [answered, answered];
  }
  const account = `accounts/${things['accounts']![0]}`;
  const members = [
    await api.person(`${account}/invitations`, 'viewer', 1),
    await api.person(`${account}/invitations`, 'viewer', 2),
  ] as const;
  const operators = [
    await api.person('operators/invitations', undefined, 3),
    await api.person('operators/invitations', undefined, 4),
  ] as const;
  const open = await Promise.all([5, 6].map((number) => api.invitation('operators/invitations', undefined, number)));
  return {
    token,
    bodies,
    things: {
      ...things,
      models: ['sandbox-refused', 'sandbox-refused'],
      'accounts/{account}/models': ['sandbox-text', 'sandbox-text'],
      'accounts/{account}/members': members,
      operators,
      users: operators,
      invitations: [open[0]!, open[1]!],
    },
  };
}

class Api {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async post(path: string, body: object): Promise<Made> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}/admin/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Made;
  }

  /** @returns what the link of an invitation ends with */
  async invitation(path: string, role: string | undefined, number: number): Promise<string> {
    const { link } = await this.post(path, { email: `person-${number}@example.com`, role });
    return link!.slice(link!.lastIndexOf('/') + 1);
  }

  /** @returns the id of somebody who has accepted an invitation */
  async person(path: string, role: string | undefined, number: number): Promise<string> {
    const invitation = await this.invitation(path, role, number);
    const accepted = await this.post(`invitations/${invitation}/accept`, { name: 'Fuzz', password: 'a long password' });
    return (accepted as unknown as { user: { id: string } }).user.id;
  }
}

/** @returns the id of a request that was answered */
async function complete(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 });
  const answer = await fetch(`${url}/v1/completions`, { method: 'POST', headers, body });
  await answer.text();
  return answer.headers.get('x-request-id')!;
}
