import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from './answer';
import { type Conversation, newConversation } from './conversation';
import { Session, type World } from './session';
import { noSettings } from './settings';

/** A call of a model that ends when the test says so. */
interface Call {
  readonly body: Record<string, unknown>;
  readonly leaving: AbortController;
  show(text: string): void;
  end(fields: Partial<Answer>): void;
}

function start(models: string[]) {
  const calls: Call[] = [];
  const kept: Conversation[] = [];
  const world: World = {
    generate: (_environment, _mode, body, answer, leaving, show) =>
      new Promise((resolve) => {
        let current = answer;
        const end = (fields: Partial<Answer>) => resolve({ clientId: 'mine', answer: { ...current, ...fields } });
        leaving.signal.addEventListener('abort', () => end({ state: 'stopped' }));
        const tell = (text: string) => show((current = { ...current, state: 'streaming', text, requestId: 'r' }));
        calls.push({ body: body as Record<string, unknown>, leaving, show: tell, end });
      }),
    recordOf: (_environment, { requestId = 'late' }) =>
      Promise.resolve({ request_id: requestId, charged: '0.5', prompt_tokens: 3, completion_tokens: 2, estimated: true }),
    keep: (conversation) => void kept.push(conversation),
    fail: (error) => {
      throw error;
    },
  };
  const columns = models.map((model) => ({ id: `column of ${model}`, model }));
  const session = new Session(world, newConversation({ mode: 'chat', columns, settings: noSettings }), 'live');
  const answers = () => session.conversation().turns.flatMap((turn) => turn.answers);
  return { session, calls, kept, answers };
}

describe('A session', () => {
  it('has all models answer, shows what comes, and what it cost', async () => {
    const { session, calls, kept, answers } = start(['one', 'two']);
    session.send('Hi', []);
    expect(answers().map(({ model, state }) => [model, state])).toEqual([
      ['one', 'waiting'],
      ['two', 'waiting'],
    ]);
    const shown = new Promise<void>((resolve) => session.subscribe(resolve));
    calls[1]!.show('Good day');
    await shown;
    expect(answers().map(({ text }) => text)).toEqual(['', 'Good day']);
    calls[0]!.end({ state: 'failed', error: 'No.' });
    calls[1]!.end({ state: 'done' });
    await nextTurn();
    expect(answers()).toMatchObject([
      { state: 'failed', error: 'No.', charged: '0.5', requestId: 'late' },
      { state: 'done', text: 'Good day', charged: '0.5', requestId: 'r', tokens: { prompt: 3, completion: 2, estimated: true } },
    ]);
    expect(kept.at(-1)).toBe(session.conversation());
  });

  it('leaves one answer, and lets the other go on', async () => {
    const { session, calls, answers } = start(['one', 'two']);
    session.send('Hi', []);
    session.stop(answers()[0]!.id);
    await nextTurn();
    expect(calls.map(({ leaving }) => leaving.signal.aborted)).toEqual([true, false]);
    expect(answers().map(({ state }) => state)).toEqual(['stopped', 'waiting']);
  });

  it('puts a new answer in the place of the one before', async () => {
    const { session, calls, answers } = start(['one', 'two']);
    session.send('Hi', []);
    for (const call of calls) call.end({ state: 'done', text: 'Hello' });
    await nextTurn();
    session.retry(answers()[0]!.id);
    expect(answers().map(({ model, state }) => [model, state])).toEqual([
      ['one', 'waiting'],
      ['two', 'done'],
    ]);
    expect(calls[2]!.body['messages']).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  it('goes on with what functions have returned', async () => {
    const { session, calls, answers } = start(['one']);
    session.send('Hi', []);
    calls[0]!.end({ state: 'done', calls: [{ id: 'c', name: 'now', arguments: '{}' }] });
    await nextTurn();
    session.giveResults(answers()[0]!.id, { c: 'noon' });
    expect(calls[1]!.body['messages']).toMatchObject([{}, { role: 'assistant' }, { role: 'tool', content: 'noon' }]);
    expect(session.conversation().turns).toHaveLength(1);
  });

  it('stops what is on its way when another conversation is shown, and keeps how far it had come', async () => {
    const { session, calls, kept, answers } = start(['one']);
    session.send('Hi', []);
    calls[0]!.show('Good');
    session.renew();
    await nextTurn();
    expect(calls[0]!.leaving.signal.aborted).toBe(true);
    expect(answers()).toEqual([]);
    expect(kept.at(-1)!.turns[0]!.answers).toMatchObject([{ state: 'stopped', text: 'Good', requestId: 'r' }]);
    session.open(kept.at(-1)!);
    await nextTurn();
    expect(answers()).toMatchObject([{ state: 'stopped', text: 'Good', charged: '0.5' }]);
  });
});
