import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, Found } from '../attack.ts';
import { type Answer, messages } from '../customer.ts';
import type { Exchange } from '../exchange.ts';
import { lateCloses, leave, overcharges } from '../left.ts';
import { KNOWN, type Scene } from '../scene.ts';
import { MIXED } from '../settings.ts';
import { promptOf, wordsOf } from '../texts.ts';

const group = '2 leaving';
/** Milliseconds after the last word in which what follows it at once has come, too. */
const AFTER_THE_LAST_WORD = 100;
/** How fast a provider thinks. */
const TOKENS_A_MILLISECOND = 2;

const said =
  (words: number) =>
  ({ tail }: Answer): boolean =>
    (tail.match(/"content":"[^"]/g)?.length ?? 0) >= words;

/** Hidden reasoning, of which nothing comes but silence. */
async function thinkFor(exchange: Exchange, tokens: number): Promise<void> {
  if (tokens > 0) await wait(tokens / TOKENS_A_MILLISECOND);
  exchange.think(tokens);
}

/** Plays an answer of this many tokens, one word an event, after so much thought. */
async function talk(scene: Scene, exchange: Exchange, tokens: number, thought: number): Promise<void> {
  await thinkFor(exchange, thought);
  let index = 0;
  for (const { text, tokens: counted } of wordsOf(scene.random, tokens)) {
    if (exchange.left) return;
    await exchange.say(text, counted);
    if (++index % 8 === 0) await wait(2);
  }
  await exchange.done();
}

type Share = NonNullable<Found['share']>;

/** Runs the leavings that follow what the gateway was taught, and judges them apart from it. */
async function judged(
  scene: Scene,
  [least, most]: Share,
  teach: () => Promise<unknown>,
  attack: () => Promise<readonly string[]>,
): Promise<Found> {
  const before = await scene.charged();
  await teach();
  await scene.settled();
  const taught = (await scene.charged()) - before;
  const broken = [...(await attack())];
  const charged = (await scene.charged()) - before - taught;
  const { due } = scene.provider;
  const share = Number(charged) / Number(due);
  if (!(share >= least && share <= most))
    broken.push(`those that left paid ${share.toFixed(3)} of what is due, ${least} to ${most} expected`);
  const words = scene.provider.seen.reduce((sum, exchange) => sum + exchange.said, 0);
  return { got: `${words} tokens by those who left, ${share.toFixed(2)} paid`, due: due + taught, share: [0, 2], broken };
}

interface MidStream {
  readonly name: string;
  /** Each is taught answers of its own, and as many leave each. */
  readonly models: readonly string[];
  readonly thinks?: boolean;
  /** Whole answers that the gateway has counted before. */
  readonly answers: number;
  readonly share: Share;
  readonly short?: boolean;
}

/** Clients that leave in mid-stream, of prompts and answers of all kinds. */
const midStream = ({ name, models, thinks = false, answers, share, short }: MidStream): Attack => ({
  group,
  name,
  short,
  fresh: true,
  run(scene) {
    const prompt = () => promptOf(scene.random, scene.random.between(50, 1_500));
    const play = (exchange: Exchange) => {
      exchange.prompt = Math.ceil(exchange.raw.length / 4.2);
      return talk(scene, exchange, scene.random.between(150, 500), thinks ? scene.random.between(200, 800) : 0);
    };
    scene.provider.plays(play);
    const teach = () =>
      scene.many(answers * models.length, 4, (index) =>
        scene.ask({ model: models[index % models.length], stream: true, messages: messages(prompt()) }),
      );
    return judged(scene, share, teach, async () => {
      scene.provider.plays(play);
      const times = scene.short ? 60 : 200;
      const model = (index: number) => models[index % models.length]!;
      const left = await leave(scene, { model, times, prompt, asking: () => ({ leave: said(scene.random.between(5, 100)) }) });
      const over = thinks ? [] : await overcharges(scene, left);
      return [...lateCloses(scene, left), ...tooMany(over, times, answers === 0 ? 0 : times / models.length)];
    });
  },
});

/** Share of those that leave for whom more may be estimated than the provider counts. */
const ABOVE = 0.05;

/**
 * One in twenty may pay more than the provider had counted, and by chance two standard deviations more. Those who leave
 * one model are charged by what the same answers have taught: after so many, one that is lower than all of them comes
 * once in `KNOWN + 1` on average, and its share of what follows has the deviation of a Beta(1, KNOWN) distribution.
 * @param each that leave one model of which answers were counted
 */
function tooMany(overcharged: readonly number[], times: number, each: number): string[] {
  const chance = ABOVE * (1 - ABOVE);
  const most = times * ABOVE + 2 * Math.sqrt(times * chance * (1 + each / (KNOWN + 2)));
  if (overcharged.length <= most) return [];
  return [
    `${overcharged.length} of ${times} paid more than the provider had counted, ${most.toFixed(1)} at most, up to ${Math.max(...overcharged).toFixed(2)} times`,
  ];
}

interface LastWord {
  readonly name: string;
  /** Milliseconds from the last word to the finish, and from there to the count. */
  readonly finishAfter: number;
  readonly countAfter: number;
  readonly share: Share;
  readonly short?: boolean;
}

/** Clients that leave when they have all that they want, after hidden reasoning. */
const afterTheLastWord = ({ name, finishAfter, countAfter, share, short }: LastWord): Attack => ({
  group,
  name,
  short,
  run(scene) {
    const text = 'All that was asked for, and more of it. '.repeat(50);
    const play = (finish: number, count: number) => async (exchange: Exchange) => {
      await thinkFor(exchange, scene.random.between(500, 1_500));
      await exchange.say(text);
      if (finish > 0) await wait(finish);
      await exchange.finish();
      if (count > 0) await wait(count);
      await exchange.usage();
      exchange.end();
    };
    scene.provider.plays(play(0, 0));
    return judged(
      scene,
      share,
      () => scene.teach('late'),
      async () => {
        scene.provider.plays(play(finishAfter, countAfter));
        await leave(scene, {
          model: 'late',
          times: 20,
          atATime: 5,
          prompt: () => 'Everything, please.',
          asking: () => ({ leave: said(1), leaveLater: AFTER_THE_LAST_WORD }),
        });
        return [];
      },
    );
  },
});

/** Clients that leave before anything has come, again and again. */
const beforeTheFirst = (name: string, stream: boolean, short = false): Attack => ({
  group,
  name,
  short,
  async run(scene) {
    scene.provider.plays(async (exchange) => {
      exchange.think(100);
      await wait(5_000);
      await exchange.answer('Too late.');
    });
    const times = scene.short ? 150 : 300;
    const question = 'A prompt that the provider bills as soon as it has read it. '.repeat(400);
    const left = await leave(scene, {
      model: 'mute',
      stream,
      times,
      atATime: 10,
      prompt: () => question,
      asking: () => ({ leaveAfter: 100 }),
    });
    const asked = scene.provider.seen.length;
    const refused = left.filter(({ answer }) => answer.status >= 400).length;
    return {
      got: `${asked} of ${times} reached the provider, ${refused} refused`,
      // A few are free. Where nobody stops them, they are paid.
      share: asked > times / 2 ? [0.5, 1] : [0, 1],
      broken: lateCloses(scene, left),
    };
  },
});

export const leavingAttacks: readonly Attack[] = [
  afterTheLastWord({
    name: 'the finish is there, the count comes 0.5 s later',
    finishAfter: 0,
    countAfter: 500,
    share: [0.95, 1.000001],
    short: true,
  }),
  afterTheLastWord({ name: 'the finish is there, the count comes 5 s later', finishAfter: 0, countAfter: 5_000, share: [0.5, 1] }),
  afterTheLastWord({ name: 'after the last word, the finish comes 3 s later', finishAfter: 3_000, countAfter: 0, share: [0.5, 1] }),
  midStream({ name: 'in mid-stream, nothing known of the model', models: ['leaver'], answers: 0, share: [0.5, 1] }),
  midStream({ name: `in mid-stream, ${KNOWN} answers counted`, models: MIXED, answers: KNOWN, share: [0.7, 1], short: true }),
  midStream({
    name: `in mid-stream, hidden reasoning, ${KNOWN} answers counted`,
    models: ['thinker'],
    thinks: true,
    answers: KNOWN,
    share: [0.5, 1],
    short: true,
  }),
  beforeTheFirst('before the first token, again and again', true, true),
  beforeTheFirst('before an answer as a whole, again and again', false),
  {
    group,
    name: 'one account teaches, another one leaves',
    fresh: true,
    run(scene) {
      const ordinary = (exchange: Exchange) => {
        exchange.prompt = Math.ceil(exchange.raw.length / 4.2);
        return talk(scene, exchange, 400, 0);
      };
      const teach = async (): Promise<void> => {
        // One byte a token: what the attacker makes the model say is dear.
        scene.provider.plays(async (exchange) => {
          await exchange.say('#'.repeat(400), 400);
          await exchange.done();
        });
        await scene.teach('dense', 200);
        scene.provider.plays(ordinary);
        await scene.teach('dense', KNOWN + 5, scene.second);
      };
      return judged(scene, [0.5, 1], teach, async () => {
        scene.provider.plays(ordinary);
        await leave(scene, {
          model: 'dense',
          times: 40,
          prompt: () => promptOf(scene.random, 200),
          asking: () => ({ leave: said(60) }),
          customer: scene.second,
        });
        return [];
      });
    },
  },
];
