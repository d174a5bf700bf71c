import { setTimeout as delay } from 'node:timers/promises';
import { ApiKeyStore } from '../../src/auth/api-key-store.js';
import type { RulesDto } from '../../src/auth/rules/rules.dto.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { describeSharedGateways } from '../support/describe-gateways.js';
import type { Gateway } from '../support/gateway.js';
import { longForm } from '../support/long-form.js';
import { until } from '../support/until.js';

/** Seconds for which clients hammer at least; the promise is about 60. */
const SECONDS = longForm ? 60 : 12;
/** Seconds after which they have not come to the limit, on however busy a machine. */
const TOO_LONG = 90;

/** Five times as many are asked of three gateways in one process, and a busy machine has to be faster than the limit. */
const PER_MINUTE = longForm ? 600 : 240;
/** In 10 seconds, the default. */
const BURST = PER_MINUTE / 6;
/** Requests that gateways may have been given and not used when one of them refuses. */
const SPARE = 10;

/** A model's answer takes its time, so that requests of one key overlap. */
const ANSWER_MS = 60;

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
});

describeSharedGateways('A limit over three gateways', (start) => {
  let upstream: LoopbackUpstream;
  let gateways: readonly Gateway[];
  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    upstream.replies(() => ({ headers: { 'content-type': 'application/json' }, body: answer, delay: ANSWER_MS }));
    const models = { m: { pricing: { prompt: 0, completion: 0 }, context_length: 8_000, max_tokens: 1_000 } };
    const settings = { providers: { p: { base_url: `${upstream.origin}/v1`, models } }, routing: { retries: 0 } };
    gateways = await Promise.all([start(settings), start(settings), start(settings)]);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await upstream.stop();
  });

  async function keyWith(rules: RulesDto): Promise<string> {
    const [gateway] = gateways;
    const { accountId } = gateway!.customer;
    const { key } = await gateway!.running.app.get(ApiKeyStore).create({ accountId, environment: 'live', rules });
    for (const one of gateways) await until(async () => (await one.get('models', key)).status === 200, 'the key at every gateway');
    return key;
  }

  const ask = async (gateway: Gateway, key: string, more: object = {}): Promise<Response> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5, ...more }),
    });
    await response.arrayBuffer();
    return response;
  };

  interface Asked {
    /** Milliseconds. */
    readonly sent: number;
    readonly answered: number;
    readonly admitted: boolean;
    /** How many may come at once, as its headers tell. */
    readonly remaining: number;
  }

  interface Hammered {
    readonly admitted: number;
    /** Seconds from the first request to the last answer. */
    readonly seconds: number;
    readonly statuses: ReadonlySet<number>;
    /** Answers whose headers say something else than their status. */
    readonly wrong: readonly string[];
    readonly asked: readonly Asked[];
  }

  /** @param target the gateway that a client asks at a time; undefined: none */
  async function hammer(
    clients: number,
    key: string,
    target: (client: number, seconds: number) => Gateway | undefined,
    duration = SECONDS,
  ): Promise<Hammered> {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    let admitted = 0;
    const statuses = new Set<number>();
    const wrong: string[] = [];
    const asked: Asked[] = [];
    const client = async (number: number) => {
      while (seconds() < duration || (!statuses.has(429) && seconds() < TOO_LONG)) {
        const gateway = target(number, seconds());
        if (!gateway) {
          await delay(10);
          continue;
        }
        const sent = performance.now();
        const { status, headers } = await ask(gateway, key);
        const remainingRequests = Number(headers.get('x-ratelimit-remaining-requests'));
        asked.push({ sent, answered: performance.now(), admitted: status === 200, remaining: remainingRequests });
        statuses.add(status);
        if (status === 200) admitted++;
        else await delay(10);
        const remaining = headers.get('x-ratelimit-remaining-requests');
        if (status === 429 && remaining !== '0') wrong.push(`429 and ${remaining}`);
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    return { admitted, seconds: seconds(), statuses, wrong, asked };
  }

  /**
   * What each answer says may come at once, against what did come before the next refusal, at whichever gateway. What
   * came in the second before it may be unknown to the gateway that gave it.
   * @returns by how many requests one has promised more, at most
   */
  function promisedTooMuch(asked: readonly Asked[]): number {
    const admitted = asked.filter((one) => one.admitted);
    const refused = asked.filter((one) => !one.admitted).sort((one, other) => one.sent - other.sent);
    const excess = asked.flatMap(({ sent, answered, remaining }) => {
      const refusal = refused.find((one) => one.sent > answered);
      if (!refusal) return [];
      return remaining - admitted.filter((one) => one.answered > sent - 1_000 && one.sent < refusal.answered).length;
    });
    return Math.max(...excess);
  }

  /**
   * How many requests one bucket for all gateways would still have admitted at one of the refusals, at most. It does not
   * matter how fast the machine is: a slow one asks later.
   */
  function leftAtRefusals(asked: readonly Asked[], burst: number, perSecond: number): number {
    const admitted = asked.filter((one) => one.admitted).sort((one, other) => one.sent - other.sent);
    const left = asked
      .filter((one) => !one.admitted)
      .map((refused) => {
        let [level, at] = [burst, admitted[0]!.sent];
        const fill = (time: number): void => {
          level = Math.min(burst, level + (perSecond * Math.max(0, time - at)) / 1_000);
          at = Math.max(at, time);
        };
        for (const { sent } of admitted) {
          if (sent > refused.answered) break;
          fill(Math.min(sent, refused.sent));
          level--;
        }
        fill(refused.sent);
        return level;
      });
    return Math.max(...left);
  }

  it('holds exactly enough, wherever the clients ask, and its headers promise no more', async () => {
    const rules = { requests_per_minute: PER_MINUTE };
    const [all, one, moving, turns, waves] = await Promise.all(
      (
        [
          (client: number) => gateways[client % 3]!,
          () => gateways[0]!,
          (_: number, seconds: number) => gateways[Math.floor(seconds / 3) % 3]!,
          (() => {
            let turn = 0;
            return () => gateways[turn++ % 3]!;
          })(),
          // Most ask one gateway, and all pause for some seconds, in which the others hear nothing.
          (client: number, seconds: number) =>
            seconds > 4 && seconds < 7 ? undefined : gateways[client > 0 ? 0 : 1 + (Math.floor(seconds * 3) % 2)],
        ] as const
      ).map(async (target) => hammer(6, await keyWith(rules), target)),
    );
    for (const [name, result] of Object.entries({ all, one, moving, turns, waves })) {
      const { admitted, seconds, statuses, wrong, asked } = result!;
      const promised = BURST + (PER_MINUTE / 60) * seconds;
      expect(statuses).toEqual(new Set([200, 429]));
      expect({ name, wrong }).toEqual({ name, wrong: [] });
      expect(admitted).toBeLessThanOrEqual(promised * 1.02);
      expect(leftAtRefusals(asked, BURST, PER_MINUTE / 60)).toBeLessThanOrEqual(SPARE);
      expect({ name, tooMuch: Math.max(0, promisedTooMuch(asked)) }).toEqual({ name, tooMuch: 0 });
    }
  });

  it('is told by the headers of each gateway, which promise no less than there is', async () => {
    // 30 at once, one a second.
    const key = await keyWith({ requests_per_minute: 60, burst_seconds: 30 });
    const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining-requests'));
    // Those that have shown that each gateway knows the key.
    let came = gateways.length;
    for (const gateway of gateways) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(gateway, key)));
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(5).fill(200));
      came += 5;
      await delay(1_500); // What others have had in the last second may still be theirs, by PostgreSQL's clock.
      const last = await ask(gateway, key);
      expect(remaining(last)).toBeGreaterThanOrEqual(30 - ++came);
    }
    const refused: Response[] = [];
    while (refused.length === 0) refused.push(...(await Promise.all(gateways.map((gateway) => ask(gateway, key)))).filter(({ ok }) => !ok));
    // Whoever waits as long as one is told is let in, at whichever gateway.
    for (const gateway of gateways) {
      const wait = Number(refused[0]!.headers.get('retry-after')) * 1_000 + 1_000;
      await delay(wait); // Nobody moves PostgreSQL's clock.
      expect((await ask(gateway, key)).status).toBe(200);
    }
  });

  it('of tokens is the limit of all gateways together, and counts what was used', async () => {
    // 5 s of the rate. Each request has used 10 of what it could use at most.
    const key = await keyWith({ tokens_per_minute: 6_000, burst_seconds: 5 });
    const { admitted, seconds, statuses, asked } = await hammer(9, key, (client) => gateways[client % 3]!);
    const promised = (500 + 100 * seconds) / 10;
    expect(statuses).toEqual(new Set([200, 429]));
    expect(admitted).toBeLessThanOrEqual(promised * 1.02);
    // What runs holds more than it uses, and what it gives back comes to other gateways later.
    expect(leftAtRefusals(asked, 50, 10)).toBeLessThanOrEqual(4 * SPARE);
  });

  it('of concurrency is never exceeded, and is reached', async () => {
    const key = await keyWith({ concurrency: 4 });
    let [most, now] = [0, 0];
    upstream.replies(() => {
      most = Math.max(most, ++now);
      setTimeout(() => now--, ANSWER_MS - 5); // The provider's own time.
      return { headers: { 'content-type': 'application/json' }, body: answer, delay: ANSWER_MS };
    });
    const { statuses } = await hammer(12, key, (client) => gateways[client % 3]!, SECONDS / 4);
    expect(statuses).toEqual(new Set([200, 429]));
    expect(most).toBe(4);
  });

  it('of one request at a time refuses no client that sends one after the other, to whichever gateway', async () => {
    const key = await keyWith({ concurrency: 1 });
    upstream.replies(() => ({ headers: { 'content-type': 'application/json' }, body: answer }));
    for (let turn = 0; turn < 60; turn++) expect((await ask(gateways[turn % 3]!, key)).status).toBe(200);
  });
});
