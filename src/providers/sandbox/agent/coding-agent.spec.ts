import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { emptyFolder } from '../../../common/testing/started.js';
import type { Message, Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { testCall } from '../../testing/call.js';
import { collect, readAll } from '../../testing/collect.js';
import { SandboxProvider } from '../sandbox.provider.js';
import { said } from '../../../wire/testing/said.js';

const provider = new SandboxProvider();
afterAll(() => provider.onApplicationShutdown());

type Arguments = Record<string, string>;
interface AgentTool {
  readonly tool: Tool;
  readonly run: (given: Arguments) => string;
}

const folder = emptyFolder();
beforeEach(() => {
  writeFileSync(join(folder, 'colours.txt'), 'red\ngreen\nred\n');
  writeFileSync(join(folder, 'notes.md'), 'Buy bread.\n');
});

function agentTool(
  name: string,
  description: string,
  properties: Record<string, object>,
  required: string[],
  run: AgentTool['run'],
): AgentTool {
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { tool: { type: 'function', function: { name, description, parameters } }, run };
}

const text = { type: 'string' };
const inFolder = (file: string) => resolve(folder, file);
const shell = (command: string) => execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });

function replaceIn({ file_path: file, old_string: before, new_string: after }: Arguments): string {
  const content = readFileSync(inFolder(file!), 'utf8');
  if (!content.includes(before!)) throw new Error('old_string is not there');
  writeFileSync(inFolder(file!), content.replaceAll(before!, after!));
  return `The file ${file} has been updated.`;
}

/** Tools as agents have them that have one for each thing. */
const singleTools = (): AgentTool[] => [
  agentTool('list_files', 'Lists the files of a directory', { path: text }, [], ({ path = '.' }) => readdirSync(inFolder(path)).join('\n')),
  agentTool('read_file', 'Reads a file', { file_path: text, offset: { type: 'integer' } }, ['file_path'], ({ file_path: file }) =>
    readFileSync(inFolder(file!), 'utf8'),
  ),
  agentTool(
    'edit_file',
    'Replaces a text in a file',
    { file_path: text, old_string: text, new_string: text, replace_all: { type: 'boolean' } },
    ['file_path', 'old_string', 'new_string'],
    replaceIn,
  ),
  agentTool('run_shell', 'Runs a command', { command: text, timeout: { type: 'number' } }, ['command'], ({ command }) => shell(command!)),
];

/** Absolute paths, a glob, and tools beside them whose names are everyday words. */
const absoluteTools = (): AgentTool[] => [
  agentTool('Task', 'Launches a new agent', { description: text, prompt: text }, ['description', 'prompt'], () => 'no'),
  agentTool(
    'Bash',
    'Executes a bash command',
    { command: text, description: text, run_in_background: { type: 'boolean' } },
    ['command'],
    ({ command }) => shell(command!),
  ),
  agentTool('Glob', 'Finds files by pattern', { pattern: text, path: text }, ['pattern'], () =>
    readdirSync(folder).map(inFolder).join('\n'),
  ),
  agentTool('Grep', 'Searches files', { pattern: text, path: text, glob: text }, ['pattern'], () => ''),
  agentTool(
    'Read',
    'Reads a file from the local filesystem.',
    { file_path: { type: 'string', description: 'The absolute path to the file to read' }, limit: { type: 'number' } },
    ['file_path'],
    ({ file_path: file }) => readFileSync(file!, 'utf8'),
  ),
  agentTool(
    'Edit',
    'Performs exact replacements in files.',
    {
      file_path: { type: 'string', description: 'The absolute path' },
      old_string: text,
      new_string: text,
      replace_all: { type: 'boolean' },
    },
    ['file_path', 'old_string', 'new_string'],
    replaceIn,
  ),
  agentTool('Write', 'Writes a file', { file_path: text, content: text }, ['file_path', 'content'], ({ file_path: file, content }) => {
    writeFileSync(file!, content!);
    return 'written';
  }),
  agentTool('TodoWrite', 'Writes a list of tasks', { todos: { type: 'array', items: { type: 'object' } } }, ['todos'], () => 'no'),
];

/** A shell that takes an array, and nothing else for files. */
const shellOnly = (): AgentTool[] => [
  agentTool('shell', 'Runs a command', { command: { type: 'array', items: text }, workdir: text }, ['command'], ({ command }) => {
    const [program, ...rest] = command as unknown as string[];
    return JSON.stringify({ output: execFileSync(program!, rest, { cwd: folder, encoding: 'utf8' }), metadata: { exit_code: 0 } });
  }),
  agentTool('update_plan', 'Updates the task plan', { plan: { type: 'array', items: { type: 'object' } } }, ['plan'], () => 'no'),
];

/** Files that can only be read and written as a whole. */
const wholeFiles = (): AgentTool[] => [
  ...singleTools().slice(0, 2),
  agentTool('write_file', 'Writes a file', { path: text, content: text }, ['path', 'content'], ({ path, content }) => {
    writeFileSync(inFolder(path!), content!);
    return 'written';
  }),
];

const ajv = new Ajv2020();

/** Runs the agent until it writes a text, with the tools' results in the history. */
async function runAgent(task: string, tools: readonly AgentTool[], more: Partial<ChatGenerationRequest> = {}) {
  const messages: Message[] = [
    said.system(`You are a coding agent.\nWorking directory: ${folder}\n`),
    said.user(`<environment_context>\n<cwd>${folder}</cwd>\n</environment_context>`),
    said.user([said.text('<system-reminder>Read no files that you need not.</system-reminder>'), said.text(task)]),
  ];
  const rounds: string[][] = [];
  for (let turn = 0; turn < 20; turn++) {
    const request: ChatGenerationRequest = {
      operation: 'chat',
      model: 'sandbox-agent',
      stream: turn % 2 === 0,
      n: 1,
      messages,
      tools: tools.map(({ tool }) => tool),
      ...more,
    };
    const [choice] = collect(await readAll(provider.generate(request, testCall({ upstreamModel: 'sandbox-agent' })))).choices;
    if (choice!.finishReason === 'stop') return { rounds, report: choice!.text! };
    const calls = choice!.toolCalls;
    rounds.push(calls.map(({ name, arguments: json }) => `${name} ${json.replaceAll(folder, '')}`));
    messages.push(
      said.assistant(
        null,
        calls.map(({ id, name, arguments: json }) => ({ id, type: 'function', function: { name, arguments: json } })),
      ),
    );
    for (const call of calls) {
      const { tool, run } = tools.find((one) => one.tool.function.name === call.name)!;
      const given = JSON.parse(call.arguments) as Arguments;
      expect(ajv.validate(tool.function.parameters!, given)).toBe(true);
      messages.push(said.result(call.id, run(given)));
    }
  }
  throw new Error('the agent goes on for ever');
}

const task = 'List the files in this directory, then replace "red" with "blue" in colours.txt and report what you did.';

describe('an agent with files', () => {
  it('lists, reads, edits and reports', async () => {
    const { rounds, report } = await runAgent(task, singleTools());
    expect(rounds).toEqual([
      ['list_files {}'],
      ['read_file {"file_path":"colours.txt"}'],
      ['edit_file {"file_path":"colours.txt","old_string":"red","new_string":"blue"}'],
    ]);
    expect(readFileSync(inFolder('colours.txt'), 'utf8')).toBe('blue\ngreen\nblue\n');
    expect(report).toContain('colours.txt');
    expect(report).toMatch(/^I have made 3 calls:\n1\. /);
    expect(report).toContain('has been updated');
  });

  it('gives absolute paths where they are wanted, and leaves other tools alone', async () => {
    const { rounds, report } = await runAgent(task, absoluteTools());
    expect(rounds).toEqual([
      ['Glob {"pattern":"*"}'],
      ['Read {"file_path":"/colours.txt"}'],
      ['Edit {"file_path":"/colours.txt","old_string":"red","new_string":"blue"}'],
    ]);
    expect(report).toContain('notes.md');
    expect(readFileSync(inFolder('colours.txt'), 'utf8')).toBe('blue\ngreen\nblue\n');
  });

  it('does all of it in a shell, where there is nothing else', async () => {
    const { rounds } = await runAgent(task, shellOnly());
    expect(rounds).toHaveLength(2);
    expect(rounds[0]).toEqual(['shell {"command":["bash","-lc","ls"]}']);
    expect(readFileSync(inFolder('colours.txt'), 'utf8')).toBe('blue\ngreen\nblue\n');
    expect(readdirSync(folder).sort()).toEqual(['colours.txt', 'notes.md']);
  });

  it('writes a file anew where it cannot be edited', async () => {
    const { rounds } = await runAgent('Replace red by blue in colours.txt. Then append "violet" to colours.txt.', wholeFiles());
    expect(rounds.map(([call]) => call!.split(' ')[0])).toEqual(['read_file', 'write_file', 'write_file']);
    expect(readFileSync(inFolder('colours.txt'), 'utf8')).toBe('blue\ngreen\nblue\nviolet\n');
  });

  it('says what it could not do', async () => {
    const { report, rounds } = await runAgent('Read notes.md, then run `npm test`.', wholeFiles());
    expect(rounds).toEqual([['read_file {"file_path":"notes.md"}']]);
    expect(report).toBe('I have made 1 call:\n1. Read notes.md (read_file): Buy bread.\nI could not do this: run `npm test`.');
  });

  it('quotes for the shell whatever the user says', async () => {
    await runAgent(
      'Write "it\'s $(touch hacked) `x` * \\ end" to a.txt. Replace `it\'s $(touch hacked)` with `a/b&c` in a.txt.',
      shellOnly(),
    );
    expect(readFileSync(inFolder('a.txt'), 'utf8')).toBe('a/b&c `x` * \\ end\n');
    expect(readdirSync(folder)).not.toContain('hacked');
  });

  it('asks for two things at once, or one after the other where calls must not be parallel', async () => {
    const reads = ['read_file {"file_path":"colours.txt"}', 'read_file {"file_path":"notes.md"}'];
    expect((await runAgent('Read colours.txt and notes.md', singleTools())).rounds).toEqual([reads]);
    expect((await runAgent('Read colours.txt and notes.md', singleTools(), { parallel_tool_calls: false })).rounds).toEqual(
      reads.map((call) => [call]),
    );
    expect((await runAgent('List the files and read notes.md', singleTools())).rounds).toEqual([['list_files {}', reads[1]]]);
  });

  it('goes the same way each time', async () => {
    const ways = [];
    for (const temperature of [0, 1, 2]) {
      writeFileSync(inFolder('colours.txt'), 'red\n');
      ways.push(await runAgent(task, singleTools(), { temperature }));
    }
    expect(ways[1]).toEqual(ways[0]);
    expect(ways[2]).toEqual(ways[0]);
  });
});
