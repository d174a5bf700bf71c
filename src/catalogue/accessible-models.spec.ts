import { ModelAccess } from '../common/access/model-access.js';
import { AccessibleModels } from './accessible-models.js';
import type { CatalogueModel } from './catalogue-model.js';

describe('AccessibleModels', () => {
  const offer = (id: string) => ({ provider: { id: 'p' }, modelId: id, watchedAs: id });
  const ids = Array.from({ length: 1_000 }, (_, n) => `model-${n}`);
  const models = new Map(ids.map((id) => [id, { id, offers: [offer(id)] } as unknown as CatalogueModel]));
  const names = (list: Iterable<CatalogueModel>) => Array.from(list, ({ id }) => id);

  /** Four lists of 200 patterns of 255 characters, as key, project and account may each have them. */
  const maximal = () => {
    const patterns = (kind: string) => Array.from({ length: 200 }, (_, n) => `${'*'.repeat(240)}${kind}${n}*`);
    const rules = { models: { allow: ['*', ...patterns('a')], deny: patterns('-99') }, providers: { allow: ['*', ...patterns('b')] } };
    return new ModelAccess([rules, rules, rules]);
  };

  it('are found at once for the usual rules, and the list is made once', () => {
    const accessible = new AccessibleModels(models);
    const access = new ModelAccess([{ models: { allow: ['model-1*'], deny: ['*-10*'] } }]);
    const list = accessible.of(access);
    expect(list).not.toBeInstanceOf(Promise);
    expect(names(list as Iterable<CatalogueModel>)).toEqual(ids.filter((id) => id.startsWith('model-1') && !id.startsWith('model-10')));
    expect(accessible.of(access)).toBe(list);
  });

  it('are found in many turns of the event loop for rules of many patterns, however many ask', async () => {
    const accessible = new AccessibleModels(models);
    let looks = 0;
    const counted = Array.from({ length: 3 }, () => {
      const access = maximal();
      const allows = access.allowsModel.bind(access);
      access.allowsModel = (id) => {
        looks++;
        return allows(id);
      };
      return access;
    });
    const lists = Promise.all(counted.map(async (access) => accessible.of(access)));
    const [first] = counted;
    expect(accessible.of(first!)).toBe(accessible.of(first!));
    let most = 0;
    let turns = 0;
    const state = { done: false };
    for (; !state.done; turns++) {
      const before = looks;
      void lists.then(() => (state.done = true));
      await new Promise(setImmediate);
      most = Math.max(most, looks - before);
    }
    expect(most * first!.size).toBeLessThanOrEqual(100_000);
    expect(turns).toBeGreaterThan(30);
    expect(looks).toBe(3 * 990);
    for (const list of await lists) expect(names(list)).toEqual(ids.filter((id) => !/-99\d/.test(id)));
  });

  it('are remembered for so many rules', () => {
    const accessible = new AccessibleModels(models);
    const first = new ModelAccess([{ models: { deny: ['model-1'] } }]);
    const list = accessible.of(first);
    for (let n = 0; n < 99; n++) void accessible.of(new ModelAccess([{ models: { deny: [`model-${n}`] } }]));
    expect(accessible.of(first)).toBe(list);
    for (let n = 0; n < 100; n++) void accessible.of(new ModelAccess([{ models: { deny: [`model-${n}`] } }]));
    expect(accessible.of(first)).not.toBe(list);
  });
});
