import { listedModels } from './listed-models.js';

describe('listedModels', () => {
  it('passes a list of models on as it is', () => {
    const models = [{ id: 'm' }];
    expect(listedModels(models)).toBe(models);
    expect(listedModels([])).toEqual([]);
  });

  it.each([undefined, null, {}, 'models', 7])('refuses what is no list: %p', (answer) => {
    expect(() => listedModels(answer)).toThrow('models() gave no list');
  });

  it.each([null, 'm', {}, { id: 7 }])('refuses a list that has what is no model: %p', (model) => {
    expect(() => listedModels([{ id: 'm' }, model])).toThrow('without an id, in place 1');
  });
});
