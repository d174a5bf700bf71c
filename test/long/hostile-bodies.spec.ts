import fc from 'fast-check';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { anything } from '../../src/providers/testing/strict-vendors/strict-vendors.js';
import type { Config } from '../../src/config/config.schema.js';
import type { DeepPartial } from '../support/create-test-app.js';
import { GatewayProgram } from '../support/gateway-program.js';
import { worstBodies } from '../support/worst-bodies.js';
import { describedBodies } from '../support/description.js';
import {
  bodiesOfOneText,
  forgedBodies,
  framed,
  type HostileBody,
  longConversations,
  ordinaryBody,
  withPrefix,
} from '../support/hostile-bodies.js';
import { CHAT, COMPLETION, EMBEDDINGS } from '../support/hostile-forms.js';
import { bodiesOf, type Wire, wires } from '../support/hostile-wires.js';
import { longForm } from '../support/long-form.js';
import { allowance } from '../support/machine.js';
import { type Cost, MeasuredGateway } from '../support/measured-gateway.js';

const MB = 1024 * 1024;
/** CPU for a byte, by that of an ordinary conversation. */
const MAX_RATIO = 5;
/** Milliseconds of CPU that a body may take however small it is. */
const FIXED_CPU = 100;
/** Milliseconds of CPU of one turn of the event loop, or what JSON.parse takes where that is more. */
const MAX_TURN = 100;
/** How many times its bytes a body may take. */
const TIMES = 6;
/**
 * What a body takes beside that: the values that any body may have (`base` in src/json/json-limits.ts),
 * 8 MB at most, and what a request takes once (compiled code, a copy of 1 MB for the provider), 4 MB.
 */
const SLACK = 12 * MB;

/** Characters of a text that is anywhere. */
const TEXT = 15 * MB;
/** CPU for a byte of the dearest bodies, by that of an ordinary conversation: 1 to 2; up to 5 beside busy neighbours. */
const WORST_RATIO = 3;
/** Of so many bodies of each kind a wire reads one, but for the long form. */
const EVERY = { text: 60, forged: 12, described: 400, exchanges: 4, cpu: 16, memory: 6 };
const pairsOf = (bodies: Wire['cpu'] = {}): [number, number][] => Object.entries(bodies).map(([size, count]) => [Number(size), count]);

/** How many of a wire's bodies are tried: one of each `every`, but for the long form. */
const runs = (all: number, every: number): number => (longForm ? all : Math.ceil(all / every));
/** All makers of bodies in the long form, and otherwise some: others for each wire. */
const chosen = <T>(makers: readonly T[], wire: Wire, every: number): T[] =>
  makers.filter((_, index) => longForm || (index + wires.indexOf(wire)) % every === 0);

/** Of the first wire to which a model without a prefix belongs. */
const DEFAULT = wires.findIndex(({ what, format }) => what === 'a chat' && format === 'chat completions');
/** What the names of a wire's models begin with. */
const prefixOf = (wire: Wire): string => (wires.indexOf(wire) === DEFAULT ? '' : `w${wires.indexOf(wire)}/`);

/** A loopback provider on every wire, and gateways that ask it for the models `m` and `ordinary` of each. */
class Scene {
  private constructor(
    private readonly upstream: LoopbackUpstream,
    private readonly program: GatewayProgram,
    private readonly settings: DeepPartial<Config>,
  ) {}

  static async begin(): Promise<Scene> {
    const upstream = await LoopbackUpstream.start();
    upstream.accepts = anything;
    upstream.replies((asked) => {
      upstream.requests.length = 0;
      const [, index, path] = /^\/w(\d+)(.*)$/.exec(asked.path)!;
      const { form, answer, chatAnswer = answer } = wires[Number(index)]!;
      const ordinary = form.path !== CHAT && path === CHAT;
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify((ordinary ? chatAnswer : answer)(asked.body)) };
    });
    const context_length = 100_000_000;
    const ordinary = { context_length, max_tokens: 500 };
    const providers = wires.map((wire, index) => {
      const { path } = wire.form;
      const m =
        path === EMBEDDINGS
          ? { context_length, embeddings: { token_ids: true } }
          : { ...ordinary, capabilities: { completion: path === COMPLETION } };
      const base_url = `${upstream.origin}/w${index}${wire.base}`;
      return [`w${index}`, { ...wire.entry, base_url, prefix: prefixOf(wire), free: true, models: { ordinary, m } }] as const;
    });
    return new Scene(upstream, await GatewayProgram.build(), { providers: Object.fromEntries(providers) });
  }

  start(...flags: string[]): Promise<MeasuredGateway> {
    return MeasuredGateway.start(this.program, this.settings, ...flags);
  }

  /** Bytes that a body takes in a gateway that has seen no other. */
  async memoryOf(body: HostileBody, operation = CHAT): Promise<number> {
    // With a young generation of at most 3 MB, most of what is in memory is in use.
    const gateway = await this.start('--expose-gc', '--max-semi-space-size=1');
    try {
      for (let time = 0; time < 3; time++) await gateway.costOf(CHAT, { json: ordinaryBody(1_000), chunk: 0 });
      return (await gateway.costOf(operation, body)).memory;
    } finally {
      await gateway.stop();
    }
  }

  async end(): Promise<void> {
    await this.program.dispose();
    await this.upstream.stop();
  }
}

let scene: Scene;
let gateway: MeasuredGateway;
beforeAll(async () => {
  scene = await Scene.begin();
  gateway = await scene.start();
});
afterAll(() => scene.end());

/** What else runs on the machine costs time and memory too: what exceeds its bound is measured up to three times. */
async function measured<T>(measure: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  let value = await measure();
  for (let again = 0; again < 2 && !holds(value); again++) value = await measure();
  return value;
}

/**
 * The law of request bodies: whatever is in one, CPU of the main thread and memory are in proportion to its bytes on
 * the wire, and others are not kept waiting. Measured with Node 24.21 on 2 cores; elsewhere `allowance` is added.
 */
describe.each(wires)('a hostile body of $what for a provider that is asked in $format', (wire) => {
  const operation = wire.form.path;
  const costOf = (body: HostileBody, path = operation) => gateway.costOf(path, withPrefix(prefixOf(wire), body));

  // The bytes of all formats are read by the same code: the longest, and the memory of most wires, are for the long form.
  const ofCpu = pairsOf(wire.cpu).filter(([megabytes]) => longForm || megabytes <= 10);
  const ofMemory = pairsOf(wire.memory).filter(([megabytes]) => longForm || (megabytes === 10 && wires.indexOf(wire) % 3 === 1));

  if (ofCpu.length > 0)
    it.each(ofCpu)(
      'of %i MB costs no more CPU than five ordinary ones, and no turn of the event loop is long',
      async (megabytes, numRuns) => {
        const ordinary: number[] = [];
        const warm = longForm ? 5 : 1;
        for (let time = 0; time < warm + (longForm ? 7 : 3); time++) {
          const { status, cpu: ms, bytes } = await costOf({ json: ordinaryBody(megabytes * MB), chunk: 0 }, CHAT);
          expect(status).toBe(200);
          if (time >= warm) ordinary.push(ms / bytes);
        }
        const perByte = ordinary.sort((one, other) => one - other)[ordinary.length >> 1]!;
        const { time, ratio } = allowance();
        const maxTurn = Math.max(time * MAX_TURN, parseTime(ordinaryBody(megabytes * MB)));
        const maxRatio = ratio * MAX_RATIO;
        const holds = ({ cpu, bytes, longest }: Cost) => cpu <= maxRatio * perByte * bytes && longest <= maxTurn;

        await fc.assert(
          fc.asyncProperty(bodiesOf(wire, megabytes * MB), async (body) => {
            const cost = await measured(() => costOf(body), holds);
            expect([200, 400, 413]).toContain(cost.status);
            expect(cost.cpu / (perByte * cost.bytes)).toBeLessThanOrEqual(maxRatio);
            expect(cost.longest).toBeLessThanOrEqual(maxTurn);
          }),
          { numRuns: runs(numRuns, EVERY.cpu), endOnFailure: true },
        );
      },
      600_000,
    );

  const texts = chosen(bodiesOfOneText(TEXT, wire.form), wire, EVERY.text);
  if (texts.length > 0)
    it('has one long text anywhere, and no turn of the event loop is long', async () => {
      const most = MAX_TURN * allowance().slowness;
      const long: string[] = [];
      for (const make of texts) {
        const body = make();
        const { status, longest } = await measured(
          () => costOf(body),
          (cost) => cost.longest <= most,
        );
        expect([200, 400]).toContain(status);
        if (longest > most) long.push(`${longest} ms: ${body.json.toString('utf8', 0, 200)}`);
      }
      expect(long).toEqual([]);
    }, 600_000);

  /** Those of 31 MB that cost more than five ordinary ones, or hold a turn for longer than it takes to parse them. */
  async function tooDear(makers: readonly (() => HostileBody)[]): Promise<string[]> {
    const ordinary = ordinaryBody(31 * MB);
    const perByte = (await costOf({ json: ordinary, chunk: 0 }, CHAT)).cpu / ordinary.length;
    const { time, ratio } = allowance();
    const dear: string[] = [];
    for (const make of makers) {
      const body = make();
      const maxCpu = ratio * (MAX_RATIO * perByte * body.json.length + FIXED_CPU);
      let maxTurn = time * MAX_TURN;
      const { status, cpu, longest } = await measured(
        () => costOf(body),
        (cost) => {
          if (cost.longest > maxTurn) maxTurn = Math.max(maxTurn, parseTime(body.json));
          return cost.cpu <= maxCpu && cost.longest <= maxTurn;
        },
      );
      expect([200, 400, 413]).toContain(status);
      if (cpu > maxCpu || longest > maxTurn)
        dear.push(`${status}: ${cpu} ms, turns of ${longest} ms: ${body.json.toString('utf8', 0, 200)}`);
    }
    return dear;
  }

  if (wire.form.carried)
    it('of 31 MB of what clients carry back and no gateway has written costs no more than an ordinary one does', async () => {
      expect(await tooDear(chosen(forgedBodies(31 * MB, wire.form), wire, EVERY.forged))).toEqual([]);
    }, 600_000);

  if (wire.form.exchanges)
    it('of 31 MB of turns as clients send them costs no more either', async () => {
      expect(await tooDear(chosen(longConversations(30 * MB, wire.form), wire, EVERY.exchanges))).toEqual([]);
    }, 600_000);

  it('of 31 MB that are at one place of its description, whatever is described, costs no more either', async () => {
    const bodies = chosen(describedBodies(operation), wire, EVERY.described);
    expect(await tooDear(bodies.map((body) => () => ({ json: body(31 * MB), chunk: 0 })))).toEqual([]);
  }, 1_200_000);

  if (ofMemory.length > 0)
    it.each(ofMemory)(
      `of %i MB takes no more memory than ${TIMES} times its bytes, in a gateway that has seen no other`,
      async (megabytes, numRuns) => {
        await fc.assert(
          fc.asyncProperty(bodiesOf(wire, megabytes * MB), async (body) => {
            const most = allowance().memory * (TIMES * framed(body).length + SLACK);
            const memory = await measured(
              () => scene.memoryOf(withPrefix(prefixOf(wire), body), operation),
              (bytes) => bytes <= most,
            );
            expect(memory).toBeLessThanOrEqual(most);
          }),
          { numRuns: runs(numRuns, EVERY.memory), endOnFailure: true },
        );
      },
      600_000,
    );
});

describe('a body', () => {
  const ask = async (json: Buffer) => gateway.costOf(CHAT, { json, chunk: 0 });

  it.each(worstBodies)('of 31 MB that is %s is read for no more CPU than three ordinary ones, and no turn is long', async (_what, make) => {
    const { slowness, ratio } = allowance();
    const [most, maxRatio] = [MAX_TURN * slowness, ratio * WORST_RATIO];
    const [json, ordinary] = [make(31 * MB), ordinaryBody(31 * MB)];
    let [cpu, usual, longest] = [Infinity, Infinity, Infinity];
    for (let time = 0; time < 4 && (time === 0 || longest > most || cpu > maxRatio * usual); time++) {
      const [one, other] = [await ask(ordinary), await ask(json)];
      expect([one.status, other.status]).toEqual([200, 200]);
      usual = Math.min(usual, one.cpu);
      cpu = Math.min(cpu, other.cpu);
      longest = Math.min(longest, other.longest);
    }
    expect(longest).toBeLessThanOrEqual(most);
    expect(cpu / usual).toBeLessThanOrEqual(maxRatio);
  });
});

/** Milliseconds of CPU that JSON.parse takes: the median of some. */
function parseTime(json: Buffer): number {
  const text = json.toString();
  const times = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return times.sort((one, other) => one - other)[2]!;
}
