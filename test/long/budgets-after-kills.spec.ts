import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { LoopbackUpstream, type RecordedRequest } from '../../src/providers/testing/loopback-upstream.js';
import { Cluster, complete, listModels, type Node } from '../support/cluster.js';
import { openStream } from '../support/event-stream.js';
import { until } from '../support/until.js';

const ACCOUNT = 'Acme';
/** Credits. */
const BUDGET = '2';
const NANO = 1_000_000_000n;
const LIMIT = 2n * NANO;
/** Of one answer, and of what one stream may take at most: 10 tokens and 50. */
const COST = NANO / 100n;
const STREAM = 5n * COST;

/** Milliseconds after which the shares of a gateway that has died come back. */
const LEASE_TTL = 2_500;
const CLIENTS = 4;
const STREAMS = 3;

const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'length' }],
  usage: { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 },
});
/** A stream goes on slowly until its gateway dies. */
const reply = ({ body }: RecordedRequest) =>
  body.includes('"stream":true')
    ? { headers: { 'content-type': 'text/event-stream' }, body: delta('one two three ').repeat(4), pace: 50, cuts: [delta('one two three ').length], ending: 'stall' as const } // prettier-ignore
    : { headers: { 'content-type': 'application/json' }, body: answer, delay: 50 };

/** Clients of one gateway that ask as often as they all may together, until they are told to stop or it dies. */
class Clients {
  static allowed = 0;
  served = 0;
  /** Requests whose gateway died. */
  broken = 0;
  readonly refusals = new Set<string>();
  #stopped = false;
  readonly #ended: Promise<unknown>;

  constructor(
    readonly node: Node,
    private readonly key: string,
  ) {
    this.#ended = Promise.all(Array.from({ length: CLIENTS }, () => this.#run()));
  }

  stop(): Promise<unknown> {
    this.#stopped = true;
    return this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await until(() => this.#stopped || (Clients.allowed > 0 && Clients.allowed-- > 0), 'leave to ask', 120_000);
      try {
        const { status, body } = await complete(this.node.url, this.key, { model: 'exact', max_tokens: 10 });
        if (status === 200) this.served++;
        else this.refusals.add(`${status} ${body.error!.code}`);
      } catch {
        this.broken++;
        return;
      }
    }
  }
}

describePostgres('A budget at gateways that are killed', () => {
  let cluster: Cluster;
  let upstream: LoopbackUpstream;
  beforeAll(async () => {
    [cluster, upstream] = await Promise.all([Cluster.begin(), LoopbackUpstream.start()]);
    upstream.replies(reply);
  });
  afterAll(async () => {
    await cluster.end();
    await upstream.stop();
  });

  const started = () => {
    const models = { exact: { pricing: { prompt: 0, completion: 1 }, context_length: 20_000, max_tokens: 100 } };
    return cluster.start({ store: { lease_ttl: LEASE_TTL }, providers: { p: { base_url: `${upstream.origin}/v1`, models } } });
  };

  async function limitedKey(node: Node) {
    const operator = await cluster.operator(node);
    const made = async (path: string, body: object) => {
      const response = await operator.post(path, body);
      expect([response.status, response.body]).toEqual([200, expect.anything()]);
      return response.body as { id: string; key: string };
    };
    const rules = { budgets: { ever: BUDGET } };
    const { id: account } = await made('accounts', { name: ACCOUNT, rules });
    await made(`accounts/${account}/credits/grants`, { id: 'grant-1', amount: '100', environment: 'live' });
    const { id: project_id } = await made(`accounts/${account}/projects`, { name: 'p', rules });
    return (await made(`accounts/${account}/keys`, { environment: 'live', project_id, rules })).key;
  }

  /** The budgets of key, project and account: what each has spent and shared out. */
  const budgets = () => cluster.query<{ spent: string; reserved: string }>('select spent, reserved from budget');
  const charged = async () => {
    const rows = await cluster.query<{ amount: string }>('select amount from usage');
    return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  };

  it('is never exceeded, counts what was charged, and has their shares back', async () => {
    const nodes = await Promise.all([started(), started(), started()]);
    const key = await limitedKey(nodes[0]);
    for (const { url } of nodes) await until(async () => (await listModels(url, key)) === 200, 'the key is known');
    const all = nodes.map((node) => new Clients(node, key));
    const served = () => all.reduce((sum, clients) => sum + clients.served, 0);
    const first = all[0]!;
    const last = all[1]!;

    /** Kills a gateway while some streams are open there, of which clients have read a part. */
    async function kill({ node }: Clients): Promise<void> {
      const body = { model: 'exact', stream: true, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] };
      const streams = await Promise.all(
        Array.from({ length: STREAMS }, () => openStream({ url: `${node.url}/chat/completions`, key, body })),
      );
      for (const stream of streams) {
        expect(stream.status).toBe(200);
        expect(await stream.next()).toBeDefined();
      }
      await node.process.stop();
      for (const stream of streams) await stream.text();
    }

    // One is back before its shares have run out, and reads its journal.
    Clients.allowed = 60;
    await until(() => served() >= 30, '30 answers');
    await kill(first);
    all.push(new Clients(await cluster.again(first.node), key));
    // The other is not: its shares run out, and another one comes in its place.
    Clients.allowed = 60;
    const before = served();
    await until(() => served() >= before + 30, '30 answers more');
    await kill(last);
    all.push(new Clients(await started(), key));

    // All that is left can be spent, wherever a request comes: nothing stays with the dead.
    Clients.allowed = Infinity;
    const rest = async () => LIMIT - (await charged());
    await until(async () => (await rest()) < COST, 'all of the budget is spent');
    await Promise.all(all.map((clients) => clients.stop()));
    // The word of the second that has died comes last.
    await cluster.again(last.node);
    expect(await cluster.cli('ledger', 'verify')).toMatch(/^OK: /);
    const spent = await charged();
    expect(spent).toBeLessThanOrEqual(LIMIT);
    const rows = await budgets();
    expect(rows.map((row) => BigInt(row.spent))).toEqual([spent, spent, spent]);
    for (const { reserved } of rows) expect(BigInt(reserved)).toBeLessThan(COST);
    expect(100n * NANO - (await cluster.balance(ACCOUNT)).posted).toBe(spent);
    // What was due beside the answers: parts of streams, and answers whose gateway died before they were read. What
    // came to light when all was spent is not collected.
    const broken = all.reduce((sum, clients) => sum + clients.broken, 0);
    const usage = await cluster.query<{ amount: string; uncollected: string }>('select amount, uncollected from usage');
    const due = usage.reduce((sum, { amount, uncollected }) => sum + BigInt(amount) + BigInt(uncollected), 0n);
    const answers = BigInt(served()) * COST;
    expect(due).toBeGreaterThan(answers);
    expect(due).toBeLessThanOrEqual(answers + BigInt(broken) * COST + BigInt(2 * STREAMS) * STREAM);
    const refusals = new Set(all.flatMap((clients) => [...clients.refusals]));
    // A machine that is too busy to renew leases in time has nothing to pay with for a moment.
    refusals.delete('503 service_unavailable');
    expect(refusals).toEqual(new Set(['402 budget_exceeded']));
  });
});
