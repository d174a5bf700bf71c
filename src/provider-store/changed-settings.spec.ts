import * as fc from 'fast-check';
import { changedSettings } from './changed-settings.js';

const now = { base_url: 'https://one.example', api_key: 'k', headers: { 'x-key': 'h' }, name: 'One', models: {} };
const secretsIn = (settings: object): string[] => [
  ...('api_key' in settings ? ['api_key'] : []),
  ...('headers' in settings && Object.keys(settings.headers as object).length > 0 ? ['headers.x-key'] : []),
];
const change = (wanted: object) => changedSettings(now, wanted as never, secretsIn);

describe('changedSettings', () => {
  it('replaces what is named, and takes away what is null', () => {
    expect(change({ name: 'Two', models: null })).toEqual({ base_url: now.base_url, api_key: 'k', headers: { 'x-key': 'h' }, name: 'Two' });
    expect(change({})).toEqual(now);
  });

  it('wants no secret where the address is the same', () => {
    expect(change({ base_url: now.base_url, name: 'Two' })).toMatchObject({ name: 'Two', api_key: 'k' });
  });

  it('takes another address where every secret is given again, or taken away', () => {
    const base_url = 'https://two.example';
    expect(change({ base_url, api_key: 'k', headers: null })).toEqual({ base_url, api_key: 'k', name: 'One', models: {} });
  });

  it('never takes a secret along to where it was not given for', () => {
    const field = fc.record(
      {
        base_url: fc.constantFrom(now.base_url, 'https://two.example', null),
        type: fc.constantFrom('mistral', null),
        options: fc.constantFrom({}, { region: 'a' }, null),
        headers: fc.constantFrom({ 'x-key': 'h' }, { host: 'two.example' }, {}, null),
        api_key: fc.constantFrom('k', 'other', null),
        name: fc.constantFrom('Two', null),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(field, (wanted) => {
        let next: ReturnType<typeof change>;
        try {
          next = change(wanted);
        } catch (error) {
          expect((error as Error).message).toMatch(/^settings\.(api_key|headers\.x-key) has to be given again/);
          return;
        }
        const { base_url, type, options, headers } = next;
        const moved =
          base_url !== now.base_url ||
          type !== undefined ||
          options !== undefined ||
          JSON.stringify(headers) !== JSON.stringify(now.headers);
        if (moved && next['api_key'] !== undefined) expect(wanted).toHaveProperty('api_key');
        if (moved && secretsIn(next).includes('headers.x-key')) expect(wanted).toHaveProperty('headers');
      }),
    );
  });
});
