import { join } from 'node:path';
import * as z from 'zod';
import { secretOptionsOf } from '../config/declared-options.js';
import { loadProviderModules } from './load-provider-modules.js';
import { packageFolder, setPackageFolder } from './package-folder.js';

describe('a process that is sent its configuration', () => {
  const before = packageFolder();
  afterAll(() => setPackageFolder(before));

  it('knows the options of the built-in types, and where packages are, whether there are modules or not', async () => {
    const type = { type: 'lock', name: 'Lock', options: z.strictObject({ code: z.string() }), secretOptions: ['code'] };
    const env = { SWITCHYARD_CONFIG: 'conf/switchyard.yaml' };
    expect(await loadProviderModules([], { types: [type], env, cwd: '/srv' })).toEqual([]);
    expect(secretOptionsOf('lock', { code: '4711' })).toEqual(['4711']);
    expect(packageFolder()).toBe(join('/srv', 'conf'));
  });
});
