import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { configSchema } from '../config/config.schema.js';
import { Output } from './output.js';
import { run } from './run.js';

const SECRET = 'sk-nobody-may-see-this';

async function switchyard(...args: string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const code = await run(['config', ...args], new Output(out, err));
  const text = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString() ?? '';
  return { code, out: text(out), err: text(err) };
}

describe('switchyard config check', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-check-'));
    file = join(folder, 'gateway.yaml');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lists what it found, and no secret', async () => {
    writeFileSync(
      file,
      `providers:
  groq: { api_key: ${SECRET} }
  mine: { base_url: "http://10.0.0.1:8000/v1", free: true, models: { a: {}, b: {} } }
  any: { type: openrouter, open: { context_length: 10, max_tokens: 5 } }
models: { x: { active: false } }
routing: { aliases: { fast: a } }
`,
    );
    const { code, out, err } = await switchyard('check', file);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
      'PROVIDER TYPE ADDRESS KEY FREE MODELS ANY NAME',
      'groq groq api.groq.com yes listed',
      'mine openai-compatible 10.0.0.1:8000 yes 2',
      'any openrouter openrouter.ai listed yes',
      'models: x',
      'aliases: fast',
      'OK: the configuration can be used.',
      '',
    ]);
    const told = await switchyard('check', file, '--json');
    expect(JSON.parse(told.out)).toMatchObject({
      ok: true,
      providers: [
        { id: 'groq', key: true },
        { id: 'mine', models: 2 },
        { id: 'any', open: true },
      ],
    });
    expect(out + told.out).not.toContain(SECRET);
  });

  it('names every problem and fails', async () => {
    writeFileSync(file, `providers:\n  grok: {api_key: ${SECRET}}\n  x: {type: mistrall, base_url: "http://x"}\nserver: {port: http}\n`);
    const { code, out, err } = await switchyard('check', file);
    expect([code, out]).toEqual([1, '']);
    for (const problem of [
      ':2:9: providers.grok.base_url is missing',
      ':3:13: providers.x.type is unknown; did you mean mistral?',
      ':4:16: server.port must be a number, not text',
    ])
      expect(err).toContain(`gateway.yaml${problem}`);
    expect(err).not.toContain(SECRET);
  });

  it('fails where the file is not there', async () => {
    expect(await switchyard('check', join(folder, 'none.yaml'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be read (ENOENT)') as string,
    });
  });
});

describe('switchyard config schema', () => {
  const valid = async () => {
    const { code, out } = await switchyard('schema');
    expect(code).toBe(0);
    const validate = new Ajv2020({ allErrors: true, formats: { uri: (text: string) => URL.canParse(text) } }).compile(
      JSON.parse(out) as object,
    );
    return (yaml: string) => validate(parse(yaml));
  };

  it.each([
    'server:\nproviders:\n',
    'providers: { mistral: { api_key: "${MISTRAL_API_KEY}" }, mine: { type: from-a-module, base_url: "${MINE}" } }',
    'server: { port: "${MY_PORT}", drain_delay: 0 }\nrouting: { hedge: "${HEDGE}" }',
    'models: { a/b.c: { pricing: { prompt: 0.001, completion: "0.002" } } }',
    JSON.stringify(configSchema.parse({ providers: { a: { base_url: 'http://a' } } })),
  ])('accepts what the gateway accepts: %s', async (yaml) => expect((await valid())(yaml)).toBe(true));

  it.each([
    'sevrer: {}',
    'server: { prot: 1 }',
    'server: { port: http }',
    'server: { port: 70000 }',
    'providers: { Big: { base_url: "http://x" } }',
    'providers: { a: { base_url: nowhere } }',
    'models: { a: { pricing: { prompt: "0.0000000001", completion: 1 } } }',
    'routing: { strategy: best }',
    'providers: { a: { base_url: "http://x", models: { m: { strategy: cheapest } } } }',
  ])('refuses what the gateway refuses: %s', async (yaml) => expect((await valid())(yaml)).toBe(false));

  it('says of each setting what it means, and offers the types', async () => {
    const { out } = await switchyard('schema');
    const { properties } = JSON.parse(out) as { properties: Record<string, { properties?: Record<string, { description?: string }> }> };
    for (const section of ['server', 'store', 'keys', 'catalogue', 'routing', 'observability'])
      for (const [name, setting] of Object.entries(properties[section]?.properties ?? {}))
        expect([section, name, setting.description]).toEqual([section, name, expect.any(String)]);
    expect(out).toContain('"huggingface"');
  });
});
