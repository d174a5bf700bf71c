import type { Answer } from './answer';
import { bodyOf, type Column, type Conversation, costOf, newConversation, titleOf, type Turn, withAnswer } from './conversation';
import { noSettings } from './settings';
import { MAX_KEPT, MAX_SIZE, type Summary, tooMany } from './kept-conversations';

const [first, second]: Column[] = [
  { id: 'a', model: 'one' },
  { id: 'b', model: 'two' },
];
let ids = 0;
const answer = (column: Column, fields: Partial<Answer>): Answer => ({
  id: `answer ${ids++}`,
  column: column.id,
  model: column.model,
  state: 'done',
  text: '',
  reasoning: '',
  calls: [],
  ...fields,
});
const turn = (text: string, ...answers: Answer[]): Turn => ({ id: `turn ${ids++}`, mode: 'chat', text, images: [], answers });
const conversation = (turns: Turn[], system = ''): Conversation => ({
  ...newConversation({ mode: 'chat', columns: [first!, second!], settings: { ...noSettings, system } }),
  turns,
});
const messages = (whole: Conversation, column: Column) => bodyOf(whole, column, whole.turns.at(-1)!)['messages'];

describe('bodyOf', () => {
  it('gives each model what it has answered itself', () => {
    const whole = conversation(
      [turn('Hi', answer(first!, { text: 'I am one' }), answer(second!, { text: 'I am two' })), turn('More')],
      'Be brief.',
    );
    expect(bodyOf(whole, second!, whole.turns[1]!)).toEqual({
      model: 'two',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'I am two' },
        { role: 'user', content: 'More' },
      ],
    });
  });

  it('has a new model go on with what the first one answered', () => {
    const whole = conversation([turn('Hi', answer(first!, { text: 'I am one' })), turn('More', answer(first!, { text: 'Later' }))]);
    expect(messages(whole, second!)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'I am one' },
      { role: 'user', content: 'More' },
    ]);
  });

  it('sends calls with their results, and with what the vendor wants back', () => {
    const calls = [
      { id: 'c1', name: 'weather', arguments: '{}', extra: { sign: 1 } },
      { id: 'c2', name: 'time', arguments: '{}' },
    ];
    const whole = conversation([turn('Hi', answer(first!, { calls, results: { c1: 'sunny' } }))]);
    expect(messages(whole, first!)).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' }, extra_content: { sign: 1 } },
          { id: 'c2', type: 'function', function: { name: 'time', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'c2', content: 'No result.' },
    ]);
  });

  it('sends images as parts, and no answer where there was none', () => {
    const image = { id: 'i', name: 'a.png', url: 'data:image/png;base64,AA==' };
    const part = { type: 'image_url', image_url: { url: image.url } };
    const whole = conversation([
      { ...turn('Look', answer(first!, { state: 'failed' })), images: [image] },
      { ...turn(''), images: [image] },
    ]);
    expect(messages(whole, first!)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look' }, part] },
      { role: 'user', content: [part] },
    ]);
  });

  it('has each completion stand alone', () => {
    const whole = conversation([turn('Hi', answer(first!, { text: 'Hello' })), { ...turn('Once'), mode: 'completion' }], 'Be brief.');
    expect(bodyOf(whole, first!, whole.turns[1]!)).toEqual({ model: 'one', prompt: 'Once' });
  });
});

it('adds costs exactly', () => {
  const charged = ['0.000000001', '12345678.100000002', null, undefined, '0'];
  expect(costOf(conversation([turn('', ...charged.map((one) => answer(first!, { charged: one })))]))).toBe('12345678.100000003');
  expect(costOf(conversation([]))).toBe('0.000000000');
});

it('is called as it begins', () => {
  expect(titleOf(conversation([turn(`  Two\n lines ${'x'.repeat(200)}`)]))).toBe(`Two lines ${'x'.repeat(70)}`);
  expect(titleOf(conversation([turn(' ')]))).toBe('Without words');
});

it('changes one answer, and leaves all else as it is', () => {
  const answers = [answer(first!, { id: 'x' }), answer(second!, { id: 'y' })];
  const before = conversation([turn('Hi'), turn('More', ...answers)]);
  const after = withAnswer(before, 'y', (one) => ({ ...one, text: 'New' }));
  expect(after.turns[0]).toBe(before.turns[0]);
  expect(after.turns[1]!.answers.map(({ text }) => text)).toEqual(['', 'New']);
  expect(withAnswer(before, 'z', (one) => ({ ...one, text: 'New' }))).toBe(before);
});

const summary = (age: number, size: number): Summary => ({
  id: `${age}`,
  owner: 'me',
  title: '',
  models: [],
  updatedAt: 1_000 - age,
  size,
});

it('forgets the oldest conversations beyond their number', () => {
  const all = Array.from({ length: MAX_KEPT + 2 }, (_, age) => summary(age, 10));
  expect(tooMany(all.toReversed())).toEqual([`${MAX_KEPT}`, `${MAX_KEPT + 1}`]);
  expect(tooMany(all.slice(2))).toEqual([]);
});

it('forgets the oldest conversations beyond their size, and never the newest', () => {
  expect(tooMany([summary(2, MAX_SIZE / 2), summary(0, MAX_SIZE / 4), summary(1, MAX_SIZE / 2)])).toEqual(['2']);
  expect(tooMany([summary(1, 1), summary(0, MAX_SIZE * 2)])).toEqual(['1']);
});
