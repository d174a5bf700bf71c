import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { outsideFiles } from '../cli/new-provider/outside.js';
import { namesOf } from '../cli/new-provider/new-provider.js';
import { sharedFolder } from '../common/testing/started.js';

const run = promisify(execFile);
const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

describe('The files for containers', () => {
  const folder = sharedFolder();

  /** What the linter of the file finds, of errors alone; empty where it is in order. */
  const lint = async (name: 'Dockerfile' | 'compose.yaml', text: string): Promise<string> => {
    writeFileSync(join(folder, name), text);
    const [tool, ...args] = name === 'Dockerfile' ? ['dockerfile-utils', 'lint', name] : ['dclint', '--quiet', name];
    const script = join(process.cwd(), 'node_modules/.bin', tool);
    return run(script, args, { cwd: folder }).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr || 'failed',
    );
  };

  it('are in order for their linters [program]', async () => {
    expect(await lint('Dockerfile', read('Dockerfile'))).toBe('');
    expect(await lint('compose.yaml', read('compose.yaml'))).toBe('');
  });

  it.each([
    ['Dockerfile', 'USER node', 'USR node', /USR/],
    ['Dockerfile', 'HEALTHCHECK --interval=10s', 'HEALTHCHECK --intervall=10s', /intervall/],
    ['Dockerfile', 'EXPOSE 8080', 'EXPOSE eighty', /eighty/],
    ['compose.yaml', 'read_only: true', 'readonly: true', /readonly|additional/],
    ['compose.yaml', 'restart: unless-stopped', 'restart: [always]', /restart/],
  ] as const)('%s: a linter finds %s where it says %s [program]', async (name, right, wrong, found) => {
    const text = read(name);
    expect(text).toContain(right);
    expect(await lint(name, text.replace(right, wrong))).toMatch(found);
  });

  it('pin their images, and run as another user on a root file system that cannot be written', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm), ...read('compose.yaml').matchAll(/image: (\S+:\S+)/g)];
    expect(images).toHaveLength(3);
    for (const [, image] of images) expect(image).toMatch(/:\d+\.\d+/);
    expect(read('Dockerfile').lastIndexOf('\nUSER node')).toBeGreaterThan(read('Dockerfile').lastIndexOf('\nRUN '));
    expect(read('compose.yaml')).toContain('read_only: true');
  });
});

describe('Git', () => {
  const folder = sharedFolder();
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  beforeAll(() => git('init', '--quiet'));

  it.each<[string, () => string, ...string[]]>([
    ['the clone', () => readFileSync('.gitignore', 'utf8'), 'acme-1.0.0.tgz'],
    ['a new provider', () => outsideFiles(namesOf('acme'), folder, '.')['.gitignore']!, 'acme-1.0.0.tgz'],
    ['a deployment folder', () => execFileSync('sh', ['-c', /^printf .*(?= >\.gitignore$)/m.exec(read('README.md'))![0]]).toString()],
  ])('keeps settings, secrets and data of %s out of commits', (_, ignored, ...packed) => {
    writeFileSync(join(folder, '.gitignore'), ignored());
    const paths = ['.env', 'data/switchyard.db', 'node_modules/a', 'switchyard.yaml', ...packed];
    expect(
      git('check-ignore', ...paths)
        .trim()
        .split('\n'),
    ).toEqual(paths);
  });
});
