import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providerTypes } from '../providers/provider-types.js';
import { runCommand } from './testing/run-command.js';

const providersNew = (...args: string[]) => runCommand('providers', 'new', ...args);

describe('switchyard providers new', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'switchyard-new-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['a', 'acme', 'acme-2-llm', 'a'.repeat(40)])('writes a folder of its own: %s', async (name) => {
    const { code, out, err } = await providersNew(name, '--dir', folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(join(folder, name));
    expect(readdirSync(join(folder, name))).toEqual(
      expect.arrayContaining([`${name}.provider.ts`, `${name}.provider.spec.ts`, 'index.ts']),
    );
    expect(readFileSync(join(folder, name, `${name}.type.ts`), 'utf8')).toContain(`type: '${name}'`);
  });

  it.each(['Acme', '2go', 'acme_llm', 'acme-', 'a--b', '../acme', 'a/b', '.', '', 'a'.repeat(41)])('refuses the name %j', async (name) => {
    const { code, err } = await providersNew(name, '--dir', folder);
    expect(code).toBe(1);
    expect(err).toMatch(/^switchyard: a provider's name begins with a lower-case letter .*\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([...providerTypes.map(({ type }) => type), 'openai-compatible', 'sandbox', 'testing', 'transport'])(
    'refuses the name %s, which there is already',
    async (name) => {
      // The other folders beside the providers are no types.
      const { code, err } = await providersNew(name, ...(['testing', 'transport'].includes(name) ? [] : ['--dir', folder]));
      expect(code).toBe(1);
      expect(err).toContain('already');
    },
  );

  it('overwrites nothing', async () => {
    await providersNew('acme', '--dir', folder);
    expect(await providersNew('acme', '--dir', folder)).toEqual({
      code: 1,
      out: '',
      err: `switchyard: ${join(folder, 'acme')} is there already\n`,
    });
  });

  it('has a help, and wants a name', async () => {
    expect(await providersNew('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--dir') as string });
    expect(await providersNew()).toMatchObject({ code: 2, err: expect.stringContaining("missing required argument 'name'") as string });
  });
});
