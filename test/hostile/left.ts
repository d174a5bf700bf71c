import { type Answer, type Asking, messages } from './customer.ts';
import { type Exchange, marked } from './exchange.ts';
import { median } from './figures.ts';
import { ROUNDING } from './prices.ts';
import type { Scene } from './scene.ts';
import type { NewCustomer } from './hostile-gateway.ts';

/** Milliseconds in which half of the providers' connections are to be closed after their clients have left. */
const CLOSED_WITHIN = 100;

/** A request whose client has left, as both sides saw it. */
export interface Left {
  readonly answer: Answer;
  readonly exchange: Exchange | undefined;
}

export interface Leavings {
  /** One, or that of each. */
  readonly model: string | ((index: number) => string);
  readonly times: number;
  readonly prompt: () => string;
  readonly asking: (index: number) => Asking;
  readonly stream?: boolean;
  readonly atATime?: number;
  readonly customer?: NewCustomer;
}

/** Sends requests whose clients leave. The provider begins a new record. */
export async function leave(
  scene: Scene,
  { model, times, prompt, asking, stream = true, atATime = 4, customer }: Leavings,
): Promise<Left[]> {
  const answers = await scene.many(times, atATime, (index) =>
    scene.ask(
      { model: typeof model === 'string' ? model : model(index), stream, messages: messages(marked(index, prompt())) },
      asking(index),
      customer,
    ),
  );
  await scene.settled();
  const exchanges = new Map(scene.provider.seen.map((exchange) => [exchange.mark, exchange]));
  return answers.map((answer, index) => ({ answer, exchange: exchanges.get(index) }));
}

/** What is wrong with how soon the provider's connections were closed. */
export function lateCloses({ slowness }: Scene, left: readonly Left[]): string[] {
  const delays = left.flatMap(({ answer, exchange }) =>
    answer.leftAt !== undefined && exchange?.closedAt !== undefined ? [exchange.closedAt - Math.max(answer.leftAt, exchange.cameAt)] : [],
  );
  const usual = median(delays);
  return usual > CLOSED_WITHIN * slowness ? [`the provider's connections closed after ${usual.toFixed(0)} ms`] : [];
}

/** Of those that were charged more than the provider had counted: how many times as much. */
export async function overcharges({ audit }: Scene, left: readonly Left[]): Promise<number[]> {
  const charges = await audit.charges(left.flatMap(({ answer }) => (answer.headers['x-request-id'] as string | undefined) ?? []));
  return left.flatMap(({ answer, exchange }) => {
    const charged = charges.get(answer.headers['x-request-id'] as string) ?? 0n;
    const due = exchange?.due ?? 0n;
    return charged > due + ROUNDING ? [Number(charged) / Number(due)] : [];
  });
}
