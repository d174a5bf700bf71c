import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program in a process of its own, because Node imports node:http once. */
async function printed(program: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program]);
  return JSON.parse(stdout);
}

describe('importNodeHttp', () => {
  const file = JSON.stringify(`${import.meta.dirname}/node-http.ts`);
  const isLoaded = `process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici'))`;

  it('keeps undici of Node out of later imports of node:http', async () => {
    const program = `const { importNodeHttp } = await import(${file});
      await importNodeHttp();
      const { createServer } = await import('node:http');
      console.log(JSON.stringify([typeof createServer, ${isLoaded}]));`;
    expect(await printed(program)).toEqual(['function', false]);
    expect(await printed(`await import('node:http'); console.log(${isLoaded})`)).toBe(true);
  });

  it('leaves the classes that undici brings where the default export and the globals have them', async () => {
    const program = `const { importNodeHttp } = await import(${file});
      await importNodeHttp();
      const { default: http } = await import('node:http');
      const names = ['WebSocket', 'CloseEvent', 'MessageEvent'];
      console.log(JSON.stringify(names.map((name) => typeof http[name] === 'function' && http[name] === globalThis[name])));`;
    expect(await printed(program)).toEqual([true, true, true]);
  });
});
