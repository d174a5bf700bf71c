import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { jest } from '@jest/globals';
import { useServer } from '../support/started.js';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { parameterNames, parameters } from '../../src/providers/contract/parameters.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { blocksOf } from '../support/markdown-blocks.js';
import { ModuleFolder } from '../support/module-folder.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const repository = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(repository, 'src/providers/README.md'), 'utf8');

/** A package as it is installed: JavaScript, with the conditions of its own. */
const installedEngine = `import { ModelProvider, providerModule, usageOf } from '@switchyard-gateway/switchyard/provider';
const capabilities = { chat: true, completion: true, function_calling: false, vision: false, embeddings: false, json_mode: false };
class EngineProvider extends ModelProvider {
  name = 'Engine';
  constructor(id, options) { super(); this.id = id; this.options = options; }
  models() { return [{ id: 'engine-1', created: 1, price: { prompt: 0, completion: 0 }, contextLength: 100, maxTokens: 50, capabilities, parameters: ['*'] }]; }
  async *generate(request) {
    const said = 'at level ' + this.options.level;
    const choice = request.operation === 'chat' ? { delta: { role: 'assistant', content: said } } : { text: said };
    yield { choices: [{ index: 0, ...choice, finish_reason: 'stop' }], usage: usageOf(1, 3) };
  }
}
export default providerModule({ types: [{ type: 'engine', name: 'Engine', baseUrl: 'http://127.0.0.1' }], create: (id, { options }) => {
  if (typeof options.level !== 'number') throw new Error('options.level must be a number');
  return new EngineProvider(id, options);
} });
`;

/**
 * Says in which process it answers, and whether what the gateway's transport throws there is of a class that it
 * imports.
 */
const kin = `import { configuredEndpoint, ModelProvider, ProviderError, providerModule, usageOf } from '@switchyard-gateway/switchyard/provider';
const capabilities = { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false };
class KinProvider extends ModelProvider {
  name = 'Kin';
  constructor(id, config, services) { super(); Object.assign(this, { id, services, endpoint: configuredEndpoint(config, () => ({})) }); }
  models() { return [{ id: 'kin-1', created: 1, price: { prompt: 0, completion: 0 }, contextLength: 100, maxTokens: 50, capabilities, parameters: ['*'] }]; }
  async *generate(request, { signal }) {
    const thrown = await this.services.transport.send({ ...this.endpoint, method: 'GET', path: '/', signal }).catch((error) => error);
    const content = process.pid + (thrown instanceof ProviderError && thrown.kind === 'unreachable' ? ' kin' : ' foreign: ' + thrown);
    yield { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: 'stop' }], usage: usageOf(1, 1) };
  }
}
export default providerModule({
  types: [{ type: 'kin', name: 'Kin', baseUrl: 'http://127.0.0.1:1' }],
  create: (id, config, services) => new KinProvider(id, config, services),
});
`;

describe('Providers from outside', () => {
  let program: string;
  let folder: ModuleFolder;
  let upstream: LoopbackUpstream;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    [program, upstream] = await Promise.all([buildProgram(), LoopbackUpstream.start()]);
    folder = new ModuleFolder(program);
    expect(await folder.switchyard('providers', 'new', 'acme', '--dir', '.')).toMatchObject({ code: 0, stderr: '' });
    for (const block of blocksOf(page, 'ts')) folder.write(/^\/\/ (\S+)\n/.exec(block)![1]!, block);
    for (const file of ['package.json', 'tsconfig.json']) {
      folder.write(file, readFileSync(join(folder.path, 'acme', file), 'utf8').replace('switchyard-acme', 'ours'));
    }
    folder.write('node_modules/engine/package.json', '{ "name": "engine", "type": "module", "exports": { "import": "./lib/engine.js" } }');
    folder.write('node_modules/engine/lib/engine.js', installedEngine);
  });
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await upstream.stop();
    folder.remove();
    rmSync(program, { recursive: true });
  });

  const start = (command: readonly [string, ...string[]], env: Record<string, string> = {}): GatewayProcess => {
    const process = new GatewayProcess(command, { cwd: folder.path, env });
    processes.push(process);
    return process;
  };
  const configure = (settings: object | string) =>
    folder.write('switchyard.yaml', typeof settings === 'string' ? settings : JSON.stringify(settings));

  it('pass the type check and the contract suite, the scaffold’s and the page’s', async () => {
    expect(await folder.tool('tsc')).toBe('');
    const said = await folder.tool('jest');
    expect(said).toMatch(/Test Suites: 2 passed, 2 total/);
    expect(said).toMatch(/Tests: +1\d\d passed/);
  });

  it('have what Nest’s decorators need of a compiler, in specs and in the build', async () => {
    folder.write(
      'nested/nested.ts',
      `import { Injectable } from '@nestjs/common';
      @Injectable()
      export class Tuning {}
      @Injectable()
      export class Choir {
        readonly tuning: Tuning;
        constructor(tuning: Tuning) { this.tuning = tuning; }
      }`,
    );
    folder.write(
      'nested/nested.spec.ts',
      `import 'reflect-metadata';
      import { Choir, Tuning } from './nested.ts';
      it('knows', () => expect(Reflect.getMetadata('design:paramtypes', Choir)).toEqual([Tuning]));`,
    );
    expect(await folder.tool('jest', 'nested')).toMatch(/Tests: +1 passed/);
    folder.write('tsconfig.build.json', readFileSync(join(folder.path, 'acme/tsconfig.build.json'), 'utf8'));
    await folder.tool('tsc', '-p', 'tsconfig.build.json', '--outDir', 'built');
    expect(readFileSync(join(folder.path, 'built/nested/nested.js'), 'utf8')).toContain('"design:paramtypes", [Tuning]');
  });

  it('are what the page’s configuration names', async () => {
    const block = blocksOf(page, 'yaml').find((yaml) => yaml.includes('modules:'))!;
    configure(block);
    expect(await folder.switchyard('config', 'check')).toMatchObject({ code: 0, stdout: expect.stringContaining('modules: ./shout') });
  });

  it('have mistakes in their options told by the schema of the page', async () => {
    configure('modules: [./tuned]\nproviders:\n  tuned:\n    options: { region: eu, tries: none }\n');
    const { code, stderr } = await folder.switchyard('config', 'check');
    expect(code).toBe(1);
    expect(stderr).toMatch(/switchyard\.yaml:4:35: providers\.tuned\.options\.tries: .*expected number/);
    const { stdout } = await folder.switchyard('config', 'schema');
    expect(stdout).toContain('Where the models run.');
    expect(stdout).toContain('"writeOnly": true');
  });

  it('answer through npm start, from folders and packages, and are made anew while it runs', async () => {
    const fixture = (name: string) => readFileSync(join(folder.path, 'acme/__fixtures__', name));
    upstream.replies(({ body }) =>
      body.includes('"stream":true')
        ? { headers: { 'content-type': 'text/event-stream' }, body: fixture('text.sse') }
        : { headers: { 'content-type': 'application/json' }, body: fixture('text.json') },
    );
    const modules = ['./acme/index.ts', './shout', 'engine'];
    const providers = {
      acme: { base_url: `${upstream.origin}/v1` },
      shout: { options: { mark: '!!' } },
      engine: { options: { level: 1 } },
    };
    configure({ modules, providers });
    const gateway = start(['npm', '--prefix', repository, 'start'], {
      SWITCHYARD_CONFIG: join(folder.path, 'switchyard.yaml'),
      SWITCHYARD_STORE_DATA_DIR: join(folder.path, 'data'),
      SWITCHYARD_PROVIDERS_ACME_API_KEY: 'key-of-acme',
    });
    const baseURL = await gateway.listening();
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    expect((await gateway.output(/^Providers: (.*)$/m))[1]).toBe('sandbox, acme, shout, engine');
    const ask = async (model: string, more: object = {}) => {
      const answer = await fetch(`${baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'go on then' }], ...more }),
      });
      return answer.text();
    };
    const content = async (model: string) =>
      (JSON.parse(await ask(model)) as { choices: [{ message: { content: string } }] }).choices[0].message.content;

    expect(await content('acme-large')).toBe('Ahoj, Žofia! 👋');
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer key-of-acme');
    const stream = await ask('acme-large', { stream: true });
    expect(stream).toContain('ofia! 👋');
    expect(stream).toMatch(/data: \[DONE\]\n\n$/);
    expect(await content('shout-1')).toBe('GO ON THEN!!');
    expect(await ask('shout-1', { max_tokens: 1 })).toContain('"finish_reason":"length"');
    expect(await ask('shout-1', { temperature: 0.5, tools: [{ type: 'function', function: { name: 'x' } }] })).toContain(
      'unsupported_parameter',
    );
    expect(await content('engine-1')).toBe('at level 1');

    const told = (pattern: RegExp) => until(() => pattern.test(gateway.stderr), `${String(pattern)} in ${gateway.stderr}`);
    configure({ modules, providers: { ...providers, engine: { options: { level: 2 } } } });
    await told(/configuration read again: providers\.engine changed/);
    expect(await content('engine-1')).toBe('at level 2');
    configure({ modules, providers: { ...providers, engine: { options: { level: 'high' } } } });
    await told(/the previous one stays: Providers: providers\.engine: options\.level must be a number/);
    configure({ modules: [...modules, './later'], providers: { ...providers, later: {} } });
    await told(
      /the previous one stays: .*providers\.later\.base_url is missing.*modules changed, which are loaded when the gateway starts/,
    );
    configure({ modules: modules.slice(0, 2), providers: { acme: providers.acme, shout: providers.shout } });
    await told(/configuration read again: providers\.engine changed/);
    await told(/modules changed as well: in force after a restart/);
    expect(await content('shout-1')).toBe('GO ON THEN!!');
    expect(gateway.stdout + gateway.stderr).not.toContain('key-of-acme');
    gateway.signal('SIGTERM');
    expect((await gateway.exited).code).toBe(0);
  });

  describe('that cannot be used', () => {
    const files: [file: string, text: string, complaint: string | RegExp][] = [
      ['bad/throws.js', 'throw new Error("no way\\nsecond line")', /cannot be loaded: no way \(bad\/throws\.js:1:7\)$/],
      ['bad/syntax.js', 'export default {', /cannot be loaded: Unexpected end of input \(bad\/syntax\.js:1\)$/],
      ['bad/plain.js', 'export default {}', 'has no default export that providerModule() has made, nor a class with @Module'],
      ['bad/other.js', 'export const module = 1', 'has no default export that providerModule() has made, nor a class with @Module'],
      [
        'bad/old.js',
        'export default { [Symbol.for("switchyard.provider-module")]: 0 }',
        'was built for contract version 0, this is version 1',
      ],
      ['bad/empty/package.json', '{}', /the folder has none of index\.js/],
      ['bad/types.js', module('types: []'), 'brings no types'],
      ['bad/name.js', module('types: [{ type: "Big", name: "Big" }]'), /brings a type whose name is not of lower-case letters/],
      ['bad/title.js', module('types: [{ type: "untold" }]'), "brings the type 'untold' without a name for people"],
      [
        'bad/address.js',
        module('types: [{ type: "lost", name: "Lost", baseUrl: "nowhere" }]'),
        "brings the type 'lost' with a baseUrl that is no URL",
      ],
      ['bad/environment.js', module('types: [{ type: "env", name: "Env", environment: "KEY" }]'), /environment that is no object/],
      ['bad/requires.js', module('types: [{ type: "r", name: "R", requires: "KEY" }]'), /requires that is no list of variables/],
      ['bad/secrets.js', module('types: [{ type: "s", name: "S", secretOptions: [1] }]'), /secretOptions that is no list of names/],
      [
        'bad/variables.js',
        module('types: [{ type: "v", name: "V", environment: { options: { a: 1 } } }]'),
        /environment\.options that are/,
      ],
      ['bad/taken.js', module('types: [{ type: "groq", name: "Groq" }]'), "brings the type 'groq', which there is already"],
      [
        'bad/twice.js',
        module('types: [{ type: "w", name: "W" }, { type: "w", name: "W" }]'),
        "brings the type 'w', which there is already",
      ],
      [
        'bad/create.js',
        'import { providerModule } from "@switchyard-gateway/switchyard/provider"; export default providerModule({ types: [{ type: "a", name: "A" }] })',
        'has no function create',
      ],
    ];

    it('are each named with their place, by config check and by the start', async () => {
      const names = [...files.map(([file]) => `./${file.replace('/package.json', '')}`), './bad/nowhere.js', 'no-such-package'];
      for (const [file, text] of files) folder.write(file, text);
      configure(`modules:\n${names.map((name) => `  - ${name}\n`).join('')}`);
      const { code, stdout, stderr } = await folder.switchyard('config', 'check');
      expect([code, stdout]).toEqual([1, '']);
      const lines = stderr
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
      expect(lines).toHaveLength(names.length);
      for (const [index, [, , complaint]] of files.entries()) {
        expect(lines[index]).toContain(`switchyard.yaml:${index + 2}:5: modules.${index} (${names[index]}) `);
        if (typeof complaint === 'string') expect(lines[index]?.endsWith(`) ${complaint}`)).toBe(true);
        else expect(lines[index]).toMatch(complaint);
      }
      expect(lines.at(-2)).toContain(`cannot be loaded: there is no ${join(folder.path, 'bad/nowhere.js')}`);
      expect(lines.at(-1)).toContain("cannot be loaded: Cannot find package 'no-such-package'");

      const gateway = start([process.execPath, join(program, 'dist/main.js')]);
      expect(await gateway.exited).toEqual({ code: 1, stdout: '', stderr: stderr.replace('switchyard: ', '') });
    });

    it.each([
      ['an entry of a type that nobody brings', { odd: { type: 'odd', base_url: 'http://127.0.0.1' } }, 'providers.odd.type is unknown'],
      ['options that the module refuses', { shout: { options: { mark: 1 } } }, 'providers.shout: options.mark must be text'],
      ['an id that is taken', { sandbox: { type: 'shout' } }, "two providers have the id 'sandbox'"],
    ])('%s, in one line', async (_name, providers, complaint) => {
      configure({ modules: ['./shout'], providers });
      const { code, stderr } = await folder.switchyard('config', 'check');
      expect(code).toBe(1);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(stderr).toContain(complaint);
    });

    it('do not keep the operator’s other commands from working', async () => {
      configure({ modules: ['./bad/throws.js'], providers: { mine: {} } });
      expect(await folder.switchyard('accounts', 'create', 'Acme', '--json')).toMatchObject({ code: 0, stderr: '' });
    });
  });

  describePostgres('in several workers', () => {
    const postgres = useServer(() => TemporaryPostgres.start());

    it('share the gateway’s classes in each of them', async () => {
      folder.write('kin/index.js', kin);
      configure({
        modules: ['./kin'],
        providers: { kin: { free: true } },
        server: { workers: 2 },
        store: { database_url: postgres.url },
        keys: { pepper: 'a pepper of at least thirty-two characters' },
      });
      const operator = async (...args: string[]) => JSON.parse((await folder.switchyard(...args, '--json')).stdout) as { key: string };
      await operator('accounts', 'create', 'Acme');
      const { key } = await operator('keys', 'create', '--account', 'Acme', '--env', 'live');
      const gateway = start([process.execPath, join(program, 'dist/main.js')]);
      const address = await gateway.listening();
      await gateway.output(/^Workers: 2$/m);

      const said = new Map<string, string>();
      await until(
        async () => {
          const answer = await fetch(`${address}/chat/completions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
            body: JSON.stringify({ model: 'kin-1', messages: [{ role: 'user', content: 'who?' }] }),
          });
          const { choices } = (await answer.json()) as { choices: [{ message: { content: string } }] };
          const [worker, ...words] = choices[0].message.content.split(' ');
          said.set(worker!, words.join(' '));
          return said.size === 2;
        },
        'an answer of each worker',
        30_000,
      );
      expect([...said.values()]).toEqual(['kin', 'kin']);
    });
  });

  it('are told the parameters truly', () => {
    const rows = Array.from(page.matchAll(/^\| `(\w+)` +\| (\w+) +\| (\w+) +\| (\w+) +\| (\w+) +\|$/gm), (match) => match.slice(1));
    expect(rows).toEqual(
      parameterNames.map((name) => {
        const row = parameters[name];
        return [name, row['chat-completions'], row['anthropic-messages'], row['gemini-generate-content'], row.otherwise];
      }),
    );
  });
});

function module(types: string): string {
  return `import { providerModule } from '@switchyard-gateway/switchyard/provider'; export default providerModule({ ${types}, create() {} });`;
}
