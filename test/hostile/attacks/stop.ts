import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'node:http';
import type { Attack } from '../attack.ts';
import { messages } from '../customer.ts';

/** Rounds of the whole form and of the short one. */
const ROUNDS = 8;
const SHORT_ROUNDS = 1;
const CLIENTS = 16;
/** Milliseconds of traffic before a stop. */
const TRAFFIC = 1_200;

export const stopAttacks: readonly Attack[] = [
  {
    group: '3 stop',
    name: 'SIGTERM under traffic',
    short: true,
    stops: true,
    async run(scene) {
      scene.provider.plays((exchange) => exchange.answer('An answer.'));
      let [answered, lost, unclean] = [0, 0, 0];
      for (let round = 0; round < (scene.short ? SHORT_ROUNDS : ROUNDS); round++) {
        const agent = new Agent({ keepAlive: true });
        const ids: string[] = [];
        const state = { stopping: false };
        const clients = Array.from({ length: CLIENTS }, async () => {
          while (!state.stopping) {
            const { status, end, headers } = await scene.ask(
              { model: 'm', max_tokens: 5, messages: messages('Hello') },
              { agent, patience: 10_000 },
            );
            if (status > 0 && end === 'whole') ids.push(headers['x-request-id'] as string);
            else await wait(20);
          }
        });
        await wait(TRAFFIC + scene.random.between(0, 100));
        if (!(await scene.gateway.stop())) unclean++;
        state.stopping = true;
        await Promise.all(clients);
        agent.destroy();
        const recorded = new Set<string>();
        for (let from = 0; from < ids.length; from += 500)
          for (const id of await scene.audit.recorded(ids.slice(from, from + 500))) recorded.add(id);
        answered += ids.length;
        lost += ids.length - recorded.size;
        await scene.gateway.restart();
      }
      const broken: string[] = [];
      if (lost > 0) broken.push(`${lost} of ${answered} records lost`);
      if (unclean > 0) broken.push(`${unclean} stops did not end with 0`);
      return { got: `${answered} answers, ${lost} records lost`, share: [0, 1], broken };
    },
  },
];
