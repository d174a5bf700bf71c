import { configSchema } from '../config/config.schema.js';
import { checkProviders } from './check-providers.js';
import { ModelProvider } from './model-provider.js';

class ListingProvider extends ModelProvider {
  readonly name = 'Listing';
  readonly generate = () => {
    throw new Error('nobody asks');
  };

  constructor(
    readonly id: string,
    readonly models: ModelProvider['models'],
  ) {
    super();
  }
}

describe('checkProviders', () => {
  const checked = async (models: () => unknown) => {
    const create = (id: string) => new ListingProvider(id, models as ModelProvider['models']);
    const modules = [{ types: [{ type: 'listing', name: 'Listing' }], create }];
    const config = configSchema.parse({ providers: { one: { type: 'listing', base_url: 'http://127.0.0.1:1' } } });
    const lists = await checkProviders({ config, modules });
    return lists.find(({ provider }) => provider.id === 'one')!;
  };

  it('knows the models of a provider that need not ask for them', async () => {
    expect(await checked(() => [{ id: 'm' }])).toMatchObject({ models: [{ id: 'm' }], complete: true });
  });

  it.each([
    ['nothing, because it was not to ask', () => Promise.resolve([])],
    ['no list', () => ({})],
    ['a list with a hole', () => [null]],
  ])('does not believe a provider to be without models that gives %s', async (_, models) => {
    expect(await checked(models)).toMatchObject({ models: [], complete: false });
  });
});
