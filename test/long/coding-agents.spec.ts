import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { Gateway } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { useGateway, useUpstream } from '../support/started.js';
import { blind, type Calls, END, play, vendors } from '../vendors/played-turns.js';

/** Its node_modules have the programs. It is no part of the repository; without it, the tests are skipped. */
const folder = process.env['SWITCHYARD_AGENTS'];
const installed = (path: string): string => join(folder!, 'node_modules', path);

interface Task {
  readonly model: string;
  /** Where the program works. */
  readonly cwd: string;
  readonly gateway: Gateway;
}

interface Program {
  /** @param sees whether the model may be shown an image */
  readonly turns: (cwd: string, sees: boolean) => readonly Calls[];
  /** @returns the text with which it ends */
  readonly run: (task: Task) => Promise<string>;
}

async function run(command: [string, ...string[]], cwd: string, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await new GatewayProcess(command, { cwd, env: { HOME: cwd, ...env } }).exited;
  if (code !== 0) throw new Error(stdout + stderr);
  return stdout;
}

const draw = 'echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg== | base64 -d > dot.png';
const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const draft = patch('*** Add File: report.txt', '+draft');
const written = patch('*** Update File: report.txt', '@@', '-draft', '+written');

/** @param like the model of OpenAI for which it takes that of the gateway: its tools depend on that; absent: one that it does not know */
function codex(like: string | undefined, turns: Program['turns']): Program {
  return {
    turns,
    async run({ model, cwd, gateway }) {
      const provider = `{ name = "Switchyard", base_url = "${gateway.url}/v1", wire_api = "responses", env_key = "KEY" }`;
      const config = [`model_providers.switchyard=${provider}`, 'model_provider="switchyard"', 'web_search="disabled"'];
      const options = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--output-last-message', 'end.txt'];
      const named = ['--model', like ? aliasOf(like, model) : model, ...config.flatMap((one) => ['-c', one])];
      await run([installed('.bin/codex'), 'exec', ...options, ...named, 'Go.'], cwd, { KEY: gateway.customer.liveKey });
      return readFileSync(join(cwd, 'end.txt'), 'utf8');
    },
  };
}

const aliasOf = (like: string, model: string): string => `${like}-${model.split('/')[0]}`;

/** The tools of the programs that have none themselves, and what the model does with them. */
const toolsIn = (cwd: string): Readonly<Record<string, { takes: string[]; execute: (given: Record<string, string>) => string }>> => ({
  read: { takes: ['path'], execute: ({ path }) => readFileSync(join(cwd, path!), 'utf8') },
  write: { takes: ['path', 'content'], execute: ({ path, content }) => writeFileSync(join(cwd, path!), content!) ?? 'Written.' },
  shell: { takes: ['command'], execute: ({ command }) => execFileSync('sh', ['-c', command!], { cwd, stdio: 'pipe' }).toString() },
});
const parametersOf = (takes: readonly string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(takes.map((name) => [name, { type: 'string' as const }])),
  required: [...takes],
  additionalProperties: false as const,
});
const usual: Program['turns'] = () => [
  [['shell', { command: 'echo first > notes.txt' }]],
  [['read', { path: 'notes.txt' }]],
  [['write', { path: 'report.txt', content: 'written\n' }]],
  [
    ['read', { path: 'report.txt' }],
    ['shell', { command: 'ls' }],
  ],
  [['shell', { command: 'exit 3' }]],
];

const programs: Readonly<Record<string, Program>> = {
  'Claude Code': {
    turns: (cwd, sees) => [
      [['Bash', { command: `${draw}; echo first | tee notes.txt`, description: 'Write notes' }]],
      [
        ['Read', { file_path: `${cwd}/notes.txt` }],
        ['Bash', { command: 'ls', description: 'List' }],
      ],
      [['Write', { file_path: `${cwd}/report.txt`, content: 'written\n' }]],
      [['Read', { file_path: `${cwd}/${sees ? 'dot.png' : 'report.txt'}` }]],
      [['Bash', { command: 'cat absent.txt', description: 'Fail' }]],
    ],
    async run({ model, cwd, gateway }) {
      const options = ['-p', 'Go.', '--output-format', 'json', '--model', model, '--allowedTools', 'Bash,Read,Write'];
      const said = await run([installed('.bin/claude'), ...options], cwd, {
        ANTHROPIC_BASE_URL: gateway.url,
        ANTHROPIC_API_KEY: gateway.customer.liveKey,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      });
      return (JSON.parse(said) as { result: string }).result;
    },
  },
  Codex: codex(undefined, (_, sees) => [
    [['exec_command', { cmd: `${draw}; echo first | tee notes.txt` }]],
    [
      ['exec_command', { cmd: 'cat notes.txt' }],
      ['exec_command', { cmd: 'ls' }],
    ],
    [['exec_command', { cmd: 'echo written > report.txt' }]],
    [sees ? ['view_image', { path: 'dot.png' }] : ['get_goal', {}]],
    [['write_stdin', { session_id: 7 }]],
  ]),
  'Codex with patches': codex('gpt-5.5', (_, sees) => [
    [['exec_command', { cmd: draw }]],
    [
      ['apply_patch', draft],
      ['exec_command', { cmd: 'ls' }],
    ],
    [['tool_search', { query: 'issues' }]],
    [sees ? ['view_image', { path: 'dot.png' }] : ['get_goal', {}]],
    [['apply_patch', written]],
  ]),
  'Codex with code': codex('gpt-6.2-sol', (_, sees) => [
    [['functions__exec', `text(await tools.exec_command({ cmd: '${draw}' }));`]],
    [['functions__exec', `text(await tools.apply_patch(${JSON.stringify(draft)}));`]],
    [['functions__exec', sees ? 'image(await tools.view_image({ path: "dot.png" }));' : 'text(await tools.get_goal({}));']],
    [['functions__exec', `text(await tools.apply_patch(${JSON.stringify(written)}));`]],
    [['clock__sleep', { duration_ms: 1 }]],
  ]),
  'Agents SDK': {
    turns: usual,
    async run({ model, cwd, gateway }) {
      const openAIClient = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 });
      const tools = Object.entries(toolsIn(cwd)).map(([name, { takes, execute }]) =>
        tool({ name, description: name, parameters: parametersOf(takes), execute: (given) => execute(given as Record<string, string>) }),
      );
      const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }), tracingDisabled: true });
      const { finalOutput } = await runner.run(new Agent({ name: 'Writer', instructions: 'Write.', model, tools }), 'Go.');
      return finalOutput!;
    },
  },
  Cline: {
    turns: usual,
    async run({ model, cwd, gateway }) {
      const before = new Set(process.listeners('uncaughtException'));
      const cline = (await import(installed('@cline/agents/dist/index.js'))) as {
        Agent: new (config: object) => { run: (input: string) => Promise<{ outputText: string; error?: Error }> };
      };
      for (const one of process.listeners('uncaughtException')) if (!before.has(one)) process.off('uncaughtException', one);
      const tools = Object.entries(toolsIn(cwd)).map(([name, { takes, execute }]) => {
        return { name, description: name, inputSchema: parametersOf(takes), execute };
      });
      const address = { providerId: 'openai-compatible', baseUrl: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey };
      const { outputText, error } = await new cline.Agent({ ...address, modelId: model, systemPrompt: 'Write.', tools }).run('Go.');
      return error ? error.message : outputText;
    },
  },
};

(folder ? describe : describe.skip)(`coding agents${folder ? '' : ' (SWITCHYARD_AGENTS names no folder)'}`, () => {
  const upstream = useUpstream();
  const wires = Object.keys(vendors);
  const modelAt = (wire: string): string => `${wire}/${vendors[wire]!.model}`;
  const gateway = useGateway(() => {
    const entry = (wire: string) => ({ ...vendors[wire]!.provider(`${upstream.origin}/${wire}`), prefix: `${wire}/` });
    const aliases = ['gpt-5.5', 'gpt-6.2-sol'].flatMap((like) => wires.map((wire) => [aliasOf(like, wire), modelAt(wire)]));
    const providers = Object.fromEntries(wires.map((wire) => [wire, entry(wire)]));
    return Gateway.start({ routing: { retries: 0, aliases: Object.fromEntries(aliases) as object }, providers });
  });

  it.each(Object.keys(programs).flatMap((name) => wires.map((wire) => [name, wire] as const)))('%s in front of %s', async (name, wire) => {
    const cwd = mkdtempSync(join(tmpdir(), 'switchyard-agent-'));
    const turns = programs[name]!.turns(cwd, !blind.has(wire));
    upstream.replies((request) => play(wire, request, turns));
    try {
      expect(await programs[name]!.run({ model: modelAt(wire), cwd, gateway })).toBe(END);
      expect(readFileSync(join(cwd, 'report.txt'), 'utf8')).toBe('written\n');
      expect(upstream.requests).toHaveLength(turns.length + 1);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });
});
