import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedFolder } from '../../common/testing/started.js';
import { packageFolder, setPackageFolder } from '../modules/package-folder.js';
import { loadPackage } from './load-package.js';
import { tried } from './trial.js';

const model = (version: string, answer: string) =>
  `{ specificationVersion: '${version}', supportedUrls: {}, doStream() {}, async doGenerate() { ${answer} } }`;
const asks = `await settings.fetch(settings.baseURL + '/chat', { method: 'POST' });`;
const create = (name: string, version: string, answer: string) =>
  `export const ${name} = (settings) => ({ languageModel: () => (${model(version, answer)}) });\n`;

describe('a package', () => {
  const before = packageFolder();
  const folder = sharedFolder();
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const installed = (name: string, code: string): void => {
    write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, type: 'module', exports: { '.': { import: './index.js' }, './part': './part.js' } }),
    );
    write(`node_modules/${name}/index.js`, code);
  };

  beforeAll(() => setPackageFolder(folder));
  afterAll(() => setPackageFolder(before));

  const loaded = (options: Record<string, unknown>) => loadPackage({ options, models: undefined });

  it('is found from the folder of the configuration file, as a whole, in part, or by its path', async () => {
    installed('@vendor/good', create('createGood', 'v4', asks));
    write('node_modules/@vendor/good/part.js', create('createPart', 'v3', asks));
    write('own.mjs', create('createOwn', 'v4', asks));
    await expect(loaded({ package: '@vendor/good' })).resolves.toMatchObject({ version: 'v4' });
    await expect(loaded({ package: '@vendor/good/part' })).resolves.toMatchObject({ version: 'v3' });
    await expect(loaded({ package: './own.mjs' })).resolves.toMatchObject({ version: 'v4' });
  });

  it('is named with what to install where it is not there', async () => {
    await expect(loaded({ package: '@vendor/absent/part' })).rejects.toThrow(
      `the package @vendor/absent/part is not installed in ${folder}: npm install @vendor/absent`,
    );
    await expect(loaded({ package: '@vendor/good/nowhere' })).rejects.toThrow('the package @vendor/good has no part nowhere');
    await expect(loaded({ package: './nothing.mjs' })).rejects.toThrow(`there is no ${join(folder, 'nothing.mjs')}`);
  });

  it('is asked which of its functions is meant', async () => {
    installed('two', create('createOne', 'v4', asks) + create('createTwo', 'v3', asks));
    await expect(loaded({ package: 'two' })).rejects.toThrow('name one of createOne, createTwo in options.export');
    await expect(loaded({ package: 'two', export: 'createTwo' })).resolves.toMatchObject({ version: 'v3' });
    await expect(loaded({ package: 'two', export: 'createThree' })).rejects.toThrow(
      'has no function createThree; it has createOne, createTwo',
    );
    installed('nothing', 'export const value = 1;\n');
    await expect(loaded({ package: 'nothing' })).rejects.toThrow('has no function create...');
  });

  it('is refused where it does not ask with our fetch', async () => {
    installed('careless', create('createCareless', 'v4', `await globalThis.fetch('http://127.0.0.1:9/');`));
    await expect(loaded({ package: 'careless' })).rejects.toThrow(
      'the package careless does not send its requests with the setting fetch, and would pass by the gateway’s transport',
    );
    const idle = { specificationVersion: 'v4', doStream: () => undefined, doGenerate: () => new Promise(() => undefined) };
    const createIdle = () => ({ languageModel: () => idle }) as never;
    const options = { package: 'idle', settings: {}, provider_options: {} };
    await expect(tried(createIdle, options, 'm', 10)).rejects.toThrow('the package idle does not send its requests');
  });

  it('is refused where it makes no language models', async () => {
    installed('images', 'export const createImages = () => ({ imageModel() {} });\n');
    await expect(loaded({ package: 'images' })).rejects.toThrow('the package images makes no provider with a function languageModel');
  });

  it('that asks again and again is not waited for', async () => {
    installed(
      'stubborn',
      create('createStubborn', 'v4', `for (;;) await settings.fetch(settings.baseURL).catch(() => new Promise(() => undefined));`),
    );
    await expect(loaded({ package: 'stubborn' })).resolves.toMatchObject({ version: 'v4' });
  });

  it('is tried without the entry’s key, and nothing is sent', async () => {
    installed('witness', create('createWitness', 'v4', `globalThis.witnessed = { ...settings, headers: undefined }; ${asks}`));
    await loadPackage({ options: { package: 'witness', settings: { region: 'eu' } }, models: undefined });
    const { apiKey, baseURL, region } = (globalThis as unknown as { witnessed: Record<string, unknown> }).witnessed;
    expect({ apiKey, baseURL, region }).toEqual({ apiKey: 'no-key', baseURL: 'http://switchyard.invalid/v1', region: 'eu' });
  });

  it.each([
    ['v2', 'leaves open whether a prompt’s count has what came from a cache'],
    ['v1', 'speaks version v1 of the AI SDK, not v3 or v4'],
    ['v5', 'speaks version v5 of the AI SDK, not v3 or v4'],
  ])('of version %s is refused', async (version, message) => {
    installed(`old-${version}`, create('createOld', version, asks));
    await expect(loaded({ package: `old-${version}` })).rejects.toThrow(message);
  });
});
