import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { until } from './support/until.js';

const json = { 'content-type': 'application/json' };
const served = chatReply('Hi');
const broken = { status: 500, headers: json, body: '{}' };

type Turn = { role: string; content: string };

describe('The strategy sticky', () => {
  let upstreams: Record<string, LoopbackUpstream>;
  let gateway: Gateway;

  beforeAll(async () => {
    const names = ['a', 'b', 'c'];
    upstreams = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await LoopbackUpstream.start()] as const)));
    const model = { pricing: { prompt: 1, completion: 1 }, max_tokens: 100, context_length: 100_000 };
    const providers = names.map((name) => [name, { base_url: `${upstreams[name]!.origin}/v1`, models: { m: model } }]);
    gateway = await Gateway.start({ providers: Object.fromEntries(providers), models: { m: { strategy: 'sticky' } } }, '1000000');
  });
  beforeEach(() => {
    for (const upstream of Object.values(upstreams)) upstream.replies(served);
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
  });

  /** @returns the provider that has answered */
  const ask = async (messages: Turn[], more: object = {}, key = gateway.customer.liveKey): Promise<string> => {
    const response = await gateway.post('chat/completions', { model: 'm', max_tokens: 10, messages, ...more }, key);
    expect(response.status).toBe(200);
    return response.headers['x-switchyard-served-by']!.split('/')[0]!;
  };
  const system: Turn = { role: 'system', content: 'Be brief.\n'.repeat(1_000) };
  const begun = (subject: string): Turn[] => [system, { role: 'user', content: subject }];
  const turns = (count: number): Turn[] =>
    Array.from({ length: count }, (_, turn) => ({ role: turn % 2 ? 'user' : 'assistant', content: `turn ${turn} ${'x'.repeat(1_000)}` }));

  it('keeps each conversation at one offer, however long it grows, and spreads conversations that begin alike', async () => {
    const used = new Set<string>();
    for (let subject = 0; subject < 12; subject++) {
      const conversation = begun(`Subject ${subject}`);
      const first = await ask(conversation);
      used.add(first);
      for (const length of [2, 10, 40]) expect(await ask([...conversation, ...turns(length)])).toBe(first);
    }
    // Where a conversation goes is drawn by its account's id: of 12, one offer in 40 gets none.
    for (let subject = 12; used.size < 3 && subject < 60; subject++) used.add(await ask(begun(`Subject ${subject}`)));
    expect(used.size).toBe(3);
  });

  it('keeps to what the client names', async () => {
    for (const named of [{ user: 'someone' }, { prompt_cache_key: 'thread-7' }]) {
      const first = await ask(begun('one'), named);
      for (const subject of ['two', 'three', 'four', 'five']) expect(await ask(begun(subject), named)).toBe(first);
    }
  });

  it('goes to one other offer while the first is paused, and comes back', async () => {
    const conversation = begun('Trains');
    const first = await ask(conversation);
    upstreams[first]!.replies(broken);
    const others = new Set<string>();
    for (let turn = 1; turn <= 8; turn++) others.add(await ask([...conversation, ...turns(turn * 2)]));
    expect(others.size).toBe(1);
    expect(others).not.toContain(first);
    // Five failures in a row have paused it, so that it was not asked any more.
    expect(upstreams[first]!.requests.filter(({ method }) => method === 'POST').length).toBeLessThan(8);
    upstreams[first]!.replies(served);
    await until(async () => (await ask([...conversation, ...turns(20)])) === first, 'the return to the first offer');
    expect(await ask([...conversation, ...turns(22)])).toBe(first);
  });
});
