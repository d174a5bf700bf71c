import { AnswerFacts } from './answer-facts.js';

const gathered = (...reasoning_details: unknown[]): unknown => {
  const facts = new AnswerFacts();
  for (const piece of reasoning_details) facts.add({ reasoning_details: [piece] });
  return facts.all;
};

describe('AnswerFacts', () => {
  const text = { type: 'reasoning.text', text: 'Hm.', index: 0 };

  it('has details only where one of them is signed or encrypted', () => {
    expect(gathered(text, 1, null)).toBeUndefined();
    expect(gathered(text, { ...text, text: ' So.', signature: 's' })).toEqual({
      reasoning_details: [{ ...text, text: 'Hm. So.', signature: 's' }],
    });
  });

  it('keeps details apart that are not pieces of one', () => {
    const all = [
      text,
      { ...text, index: 1 },
      { type: 'reasoning.summary', summary: 'S', index: 1 },
      { type: 'reasoning.encrypted', data: 'd', index: 2 },
    ];
    const sealed = { type: 'reasoning.encrypted', data: 'e', index: 2 };
    expect(gathered(...all, sealed)).toEqual({ reasoning_details: [...all, sealed] });
  });

  it('gathers no more than a bounded size', () => {
    const long = { ...text, text: 'x'.repeat(600_000), signature: 's' };
    expect(gathered(long)).toBeDefined();
    expect(gathered(long, long)).toBeUndefined();
  });
});
