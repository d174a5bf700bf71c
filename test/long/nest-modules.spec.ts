import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { ModuleFolder } from '../support/module-folder.js';

jest.setTimeout(120_000);

/** A provider as a Nest module, with a class of options and constructor types, as a Nest programmer writes it. */
const source = `import { Injectable, Module } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Max } from 'class-validator';
import {
  type ConfigWith, HttpTransport, ModelFactsService, ModelProvider, ProviderFactory, ProviderServicesModule, type ProviderServices, usageOf,
} from '@switchyard-gateway/switchyard/provider';

export class EchoOptions {
  @IsString()
  voice!: string;

  @IsOptional()
  @IsInt()
  @Max(3)
  times = 1;
}

@Injectable()
export class Clock {
  now(): string {
    return 'now';
  }
}

class EchoProvider extends ModelProvider {
  readonly name = 'Echo';

  constructor(readonly id: string, private readonly said: () => string) {
    super();
  }

  models() {
    const capabilities = { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false };
    const price = { prompt: 0, completion: 0 };
    return [{ id: this.id + '-1', created: 1, price, contextLength: 100, maxTokens: 50, capabilities, parameters: ['max_tokens'] }];
  }

  async *generate() {
    const delta = { role: 'assistant' as const, content: this.said() };
    yield { choices: [{ index: 0, delta, finish_reason: 'stop' as const }], usage: usageOf(1, 1) };
  }
}

@Injectable()
export class EchoFactory extends ProviderFactory {
  readonly types = ['echo'];

  constructor(private readonly clock: Clock, private readonly transport: HttpTransport, private readonly facts: ModelFactsService) {
    super();
  }

  create(id: string, config: unknown, services: ProviderServices): ModelProvider {
    const { options } = config as ConfigWith<EchoOptions>;
    const same = [services.transport === this.transport, services.facts === this.facts, options instanceof EchoOptions].every(Boolean);
    return new EchoProvider(id, () => [...Array.from({ length: options.times }, () => options.voice), this.clock.now(), same].join(' '));
  }
}

/** It needs no entry of the configuration. */
@Injectable()
export class HumProvider extends EchoProvider {
  constructor(clock: Clock) {
    super('hum', () => 'hum ' + clock.now());
  }
}

@Module({ imports: [ProviderServicesModule], providers: [Clock, EchoFactory, HumProvider] })
export default class EchoModule {
  static readonly types = [{ type: 'echo', name: 'Echo', baseUrl: 'http://127.0.0.1', environment: { options: { voice: 'ECHO_VOICE' } } }];
  static readonly options = EchoOptions;
}
`;

const compilerOptions = {
  target: 'es2023',
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  useDefineForClassFields: true,
  sourceMap: true,
  types: [],
};

describe('A Nest module from outside', () => {
  let program: string;
  let folder: ModuleFolder;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    program = await buildProgram();
    folder = new ModuleFolder(program);
    const build = async (name: string, manifest: object, module: string) => {
      folder.write(`${name}/package.json`, JSON.stringify({ name, exports: './built/index.js', ...manifest }));
      folder.write(`${name}/src/index.ts`, source);
      const options = { ...compilerOptions, module, rootDir: 'src', outDir: 'built' };
      folder.write(`${name}/tsconfig.json`, JSON.stringify({ compilerOptions: options, include: ['src'] }));
      expect(await folder.tool('tsc', '-p', name)).toBe('');
    };
    await build('echo', { type: 'module' }, 'nodenext');
    await build('echo-common', { type: 'commonjs' }, 'nodenext');
    // Its own copies of what there must be once in a process.
    for (const name of ['@nestjs/common', 'class-validator', 'reflect-metadata']) {
      folder.write(`echo/node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', exports: './index.js' }));
      folder.write(`echo/node_modules/${name}/index.js`, 'throw new Error("a copy of its own")');
    }
  });
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    folder.remove();
    rmSync(program, { recursive: true });
  });

  const configure = (settings: object) => folder.write('switchyard.yaml', JSON.stringify(settings, undefined, 1));
  const check = () => folder.switchyard('config', 'check');

  it.each(['echo', 'echo-common'])('answers with classes that Nest has made, and with those of the running gateway: %s', async (name) => {
    configure({ modules: [`./${name}`], providers: { echo: { options: { voice: 'hey', times: 2 } } } });
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
    const gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], {
      cwd: folder.path,
      env: { SWITCHYARD_STORE_DATA_DIR: join(folder.path, `data-${name}`) },
    });
    processes.push(gateway);
    const url = await gateway.listening();
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    const say = async (model: string) => {
      const answer = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
      });
      return ((await answer.json()) as { choices: [{ message: { content: string } }] }).choices[0].message.content;
    };
    expect(await say('echo-1')).toBe('hey hey now true');
    expect(await say('hum-1')).toBe('hum now');
    await gateway.stop();
  });

  it('has mistakes in its options with file, line and field', async () => {
    configure({ modules: ['./echo'], providers: { echo: { options: { voice: 7, times: 4, pitch: 1 } } } });
    const { code, stderr } = await check();
    expect(code).toBe(1);
    const lines = stderr
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    expect(lines.toSorted()).toEqual([
      'switchyard.yaml:8:14: providers.echo.options.voice: voice must be a string',
      'switchyard.yaml:9:14: providers.echo.options.times: times must not be greater than 3',
      'switchyard.yaml:10:14: providers.echo.options.pitch: is unknown',
    ].toSorted()); // prettier-ignore
  });

  it('has its type and options in the schema of the configuration, whatever else is wrong with it', async () => {
    configure({ modules: ['./echo'], providers: { echo: { options: { voice: 7 } } } });
    const { code, stdout } = await folder.switchyard('config', 'schema');
    expect(code).toBe(0);
    expect(stdout).toContain('"echo"');
    expect(stdout.replace(/\s+/g, '')).toContain('"voice":{"type":"string"}');
  });

  it.each([
    [
      'TypeScript with decorators',
      'src/index.ts',
      source,
      /cannot be loaded: bad\/src\/index\.ts:8: Node runs TypeScript only where .* this is a decorator; build the module to JavaScript \(tsc with experimentalDecorators and emitDecoratorMetadata\)/,
    ],
    [
      'TypeScript with more than types',
      'index.ts',
      'class A {\n  constructor(readonly x: string) {}\n}\nexport default A;',
      /cannot be loaded: bad\/index\.ts:2: Node runs TypeScript only where .* this is a parameter property; build/,
    ],
    ['a class without @Module', 'index.js', 'export default class Plain {}', /has a default export without @Module/],
    [
      'routes of its own',
      'index.js',
      'import { Module } from "@nestjs/common"; class C {} class M {} Module({ providers: [], controllers: [C] })(M); export default M;',
      /brings controllers: a module of providers has no routes of its own/,
    ],
    [
      'what nobody can inject',
      'index.js',
      'import { Inject, Module } from "@nestjs/common"; class F { constructor(x) {} } Inject("X")(F, undefined, 0); class M {} Module({ providers: [F] })(M); export default M;',
      /Modules: Nest can't resolve dependencies of the F \(\?\)\..*build with emitDecoratorMetadata, or name it with @Inject\(\)/,
    ],
    [
      'a class that cannot be made',
      'index.js',
      'import { Module } from "@nestjs/common"; class C { constructor() { throw new Error("no room\\nfor key-of-echo-1"); } } class M {} Module({ providers: [C] })(M); export default M;',
      /^switchyard: Modules: \.\/bad\/index\.js: no room \(bad\/index\.js:1:\d+\)$/m,
    ],
    [
      'a hook that fails',
      'index.js',
      'import { Module } from "@nestjs/common"; class C { async onModuleInit() { throw new Error("key-of-echo-1 is refused"); } } class M {} Module({ providers: [C] })(M); export default M;',
      /^switchyard: Modules: \.\/bad\/index\.js: \[redacted\] is refused \(bad\/index\.js:1:\d+\)$/m,
    ],
    [
      'a file that is no JavaScript',
      'index.js',
      'export const x = 1;\nexport default {\n',
      /cannot be loaded: Unexpected end of input \(bad\/index\.js:3\)/,
    ],
    [
      'options that are no schema',
      'index.js',
      'import { providerModule } from "@switchyard-gateway/switchyard/provider"; export default providerModule({ types: [{ type: "a", name: "A" }], options: {}, create() {} });',
      /has options that are neither a Standard Schema nor a class with decorators of class-validator/,
    ],
  ])('is refused in one line for %s', async (_why, file, text, complaint) => {
    rmSync(join(folder.path, 'bad'), { recursive: true, force: true });
    folder.write('bad/package.json', JSON.stringify({ type: 'module' }));
    folder.write(`bad/${file}`, text);
    configure({ modules: [`./bad/${file}`], providers: { groq: { api_key: 'key-of-echo-1' } } });
    const { code, stderr } = await check();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toMatch(complaint);
  });
});
