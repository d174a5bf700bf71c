import type { Schemas } from '../../api/client';
import type { Environment } from '../../ui/preferences';
import { type Answer, isOpen } from './answer';
import {
  bodyOf,
  type Column,
  type Conversation,
  type Image,
  type Mode,
  newConversation,
  newId,
  type Turn,
  withAnswer,
} from './conversation';

/** Milliseconds between two looks of what has come at most. */
const FRAME = 40;

type RecordView = Pick<Schemas['RequestView'], 'request_id' | 'charged' | 'prompt_tokens' | 'completion_tokens' | 'estimated'>;

/** What a session needs of the world. */
export interface World {
  generate(
    environment: Environment,
    mode: Mode,
    body: object,
    answer: Answer,
    leaving: AbortController,
    show: (answer: Answer) => void,
  ): Promise<{ answer: Answer; clientId: string }>;
  recordOf(environment: Environment, ids: { requestId?: string; clientId?: string }): Promise<RecordView | undefined>;
  keep(conversation: Conversation): void;
  /** Is told what nobody expected. */
  fail(error: unknown): void;
}

/** One conversation at a time, with the answers that are on their way. */
export class Session {
  #conversation: Conversation;
  readonly #runs = new Map<string, AbortController>();
  readonly #pending = new Map<string, Answer>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly world: World,
    conversation: Conversation,
    private environment: Environment,
  ) {
    this.#conversation = { ...conversation, turns: endedTurns(conversation) };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly conversation = (): Conversation => this.#conversation;

  /** Has another balance pay from now on. */
  readonly charge = (environment: Environment): void => {
    this.environment = environment;
  };

  /** Changes what the next prompt is sent with. */
  readonly change = (fields: Partial<Pick<Conversation, 'mode' | 'columns' | 'settings'>>): void => {
    this.#show({ ...this.#conversation, ...fields });
    this.#keep();
  };

  /** Shows another conversation. What is on its way is stopped, and kept as far as it has come. */
  readonly open = (conversation: Conversation): void => {
    this.close();
    this.#show({ ...conversation, turns: endedTurns(conversation) });
    this.resume();
  };

  /** Asks what answers have cost that were left before that was known. */
  readonly resume = (): void => {
    for (const { answers } of this.#conversation.turns)
      for (const { id, charged, requestId } of answers)
        if (charged === undefined && requestId !== undefined) void this.#price(id, { requestId });
  };

  /** Begins a new conversation with the same models and settings. */
  readonly renew = (): void => this.open(newConversation(this.#conversation));

  /** Has every model answer a prompt. */
  readonly send = (text: string, images: readonly Image[]): void => {
    const { columns, mode, turns } = this.#conversation;
    const turn: Turn = { id: newId(), mode, text, images, answers: [] };
    this.#show({ ...this.#conversation, updatedAt: Date.now(), turns: [...turns, turn] });
    for (const column of columns) this.#run(turn.id, column);
    this.#keep();
  };

  /** Has a model answer anew, in place of what it has answered. */
  readonly retry = (id: string): void => {
    const turn = this.#turnOf(id);
    const before = turn?.answers.find((answer) => answer.id === id);
    if (!turn || !before) return;
    this.#change(turn.id, (answers) => answers.filter((answer) => answer.id !== id));
    this.#run(turn.id, this.#columnOf(before), turn.answers.indexOf(before));
  };

  /** Sends what called functions have returned. */
  readonly giveResults = (id: string, results: Record<string, string>): void => {
    const turn = this.#turnOf(id);
    const caller = turn?.answers.find((answer) => answer.id === id);
    if (!turn || !caller) return;
    this.#show(withAnswer(this.#conversation, id, (answer) => ({ ...answer, results })));
    this.#run(turn.id, this.#columnOf(caller));
    this.#keep();
  };

  /** Ends what is on its way, and keeps it as far as it has come. */
  readonly close = (): void => {
    if (this.#runs.size === 0) return;
    this.#flush();
    this.#show({ ...this.#conversation, turns: endedTurns(this.#conversation) });
    this.#keep();
    this.stop();
  };

  /** Leaves one answer, or all that are on their way. */
  readonly stop = (id?: string): void => {
    for (const [run, leaving] of this.#runs) if (id === undefined || run === id) leaving.abort();
  };

  #turnOf(answer: string): Turn | undefined {
    return this.#conversation.turns.find(({ answers }) => answers.some(({ id }) => id === answer));
  }

  /** Its model may be another one by now. */
  #columnOf({ column, model }: Answer): Column {
    return this.#conversation.columns.find(({ id }) => id === column) ?? { id: column, model };
  }

  #change(turn: string, change: (answers: readonly Answer[]) => readonly Answer[]): void {
    const turns = this.#conversation.turns.map((one) => (one.id === turn ? { ...one, answers: change(one.answers) } : one));
    this.#show({ ...this.#conversation, turns });
  }

  /** @param at where the answer is put among those of its turn; absent: behind them */
  #run(turnId: string, column: Column, at = Number.POSITIVE_INFINITY): void {
    const turn = this.#conversation.turns.find(({ id }) => id === turnId)!;
    const body = bodyOf(this.#conversation, column, turn);
    const answer: Answer = { id: newId(), column: column.id, model: column.model, state: 'waiting', text: '', reasoning: '', calls: [] };
    this.#change(turnId, (answers) => answers.toSpliced(at, 0, answer));
    const leaving = new AbortController();
    this.#runs.set(answer.id, leaving);
    this.world
      .generate(this.environment, turn.mode, body, answer, leaving, (next) => this.#later(next))
      .then(({ answer: ended, clientId }) => {
        this.#end(ended);
        return this.#price(ended.id, { requestId: ended.requestId, clientId });
      })
      .catch((error: unknown) => {
        this.#end({ ...answer, state: 'failed', error: error instanceof Error ? error.message : String(error) });
        this.world.fail(error);
      });
  }

  /** Shows what has come with whatever comes within the same frame. */
  #later(answer: Answer): void {
    this.#pending.set(answer.id, answer);
    this.#timer ??= setTimeout(() => this.#flush(), FRAME);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let next = this.#conversation;
    for (const [id, pending] of this.#pending) next = withAnswer(next, id, () => pending);
    this.#pending.clear();
    this.#show(next);
  }

  #end(answer: Answer): void {
    this.#runs.delete(answer.id);
    this.#pending.delete(answer.id);
    this.#show(withAnswer(this.#conversation, answer.id, () => answer));
    this.#keep();
  }

  async #price(id: string, ids: { requestId?: string; clientId?: string }): Promise<void> {
    const record = await this.world.recordOf(this.environment, ids).catch(() => undefined);
    if (!record) return;
    const { request_id, charged, prompt_tokens, completion_tokens, estimated } = record;
    this.#show(
      withAnswer(this.#conversation, id, (answer) => ({
        ...answer,
        charged,
        requestId: request_id,
        tokens:
          prompt_tokens === null || completion_tokens === null
            ? answer.tokens
            : { prompt: prompt_tokens, completion: completion_tokens, estimated },
      })),
    );
    this.#keep();
  }

  #show(conversation: Conversation): void {
    this.#conversation = conversation;
    for (const listener of this.#listeners) listener();
  }

  #keep(): void {
    if (this.#conversation.turns.length > 0) this.world.keep(this.#conversation);
  }
}

/** The turns with no answer on its way, as when their page was closed. */
function endedTurns({ turns }: Conversation): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) => (isOpen(answer) ? { ...answer, state: 'stopped' } : answer)),
  }));
}
