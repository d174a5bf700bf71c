import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const installed = resolve(import.meta.dirname, '../../node_modules');

/** A team's own folder outside the gateway, with the tools that `npm install` would put there. */
export class ModuleFolder {
  readonly path = mkdtempSync(join(realpathSync(tmpdir()), 'switchyard-modules-'));

  /** @param program a built gateway */
  constructor(private readonly program: string) {
    mkdirSync(join(this.path, 'node_modules'));
    for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(this.path, 'node_modules', name));
    mkdirSync(join(this.path, 'node_modules/@switchyard-gateway'));
    symlinkSync(program, join(this.path, 'node_modules/@switchyard-gateway/switchyard'));
  }

  write(file: string, text: string): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** `npx --no-install switchyard ...` in this folder. */
  async switchyard(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env['PATH'] };
    const outcome = await run(process.execPath, [join(this.program, 'dist/cli/main.js'), ...args], { cwd: this.path, env }).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    return { code: 0, ...outcome };
  }

  /** What the tool says; rejects when it fails. */
  async tool(name: 'tsc' | 'jest', ...args: string[]): Promise<string> {
    const [file, flags] = name === 'jest' ? ['jest/bin/jest.js', ['--experimental-vm-modules']] : ['typescript/bin/tsc', []];
    const command = [...flags, join(installed, file), ...args];
    try {
      const { stdout, stderr } = await run(process.execPath, command, { cwd: this.path });
      return stdout + stderr;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${name} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
