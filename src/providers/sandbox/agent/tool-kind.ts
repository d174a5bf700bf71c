import type { Tool } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';
import { namePartsOf, propertiesOf } from './tool-schema.js';

/** What a function of a coding agent is for. */
export type ToolKind = 'shell' | 'list' | 'read' | 'edit' | 'write' | 'search';

/** Members by what they take, as names without case and underscores. */
export const members = {
  file: /^(?:(?:target|absolute|relative|full)?(?:file|filename|filepath|path)|relativeworkspacepath)$/,
  files: /^(?:files|paths|filepaths|filenames)$/,
  directory: /^(?:path|dir|directory|dirpath|dirname|directorypath|folder|folderpath|root|basepath|targetdirectory)$/,
  command: /^(?:cmd|command|commands|commandline|shellcommand|script)$/,
  before: /^(?:old|oldstr|oldstring|oldtext|oldcontent|search|searchtext|find|target|original|from|before)$/,
  after: /^(?:new|newstr|newstring|newtext|newcontent|replace|replacement|replacewith|updated|to|after)$/,
  content: /^(?:content|contents|text|filetext|filecontent|filecontents|body|data)$/,
  pattern: /^(?:pattern|query|regex|regexp|search|searchterm|term|text|q)$/,
  glob: /^(?:pattern|glob|globpattern|filepattern)$/,
} as const;

export const memberName = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');

/** Tells by the name of a function, and by what it takes, what a coding agent has it for. */
export function kindOf(tool: Tool): ToolKind | undefined {
  const parts = new Set(namePartsOf(tool.function.name));
  const properties = propertiesOf(tool);
  const names = Object.keys(properties).map(memberName);
  const takes = (member: keyof typeof members) => names.some((name) => members[member].test(name));
  const named = (...words: string[]) => words.some((word) => parts.has(word));
  const file = takes('file') || takes('files');
  if (named('notebook', 'image', 'resource', 'resources', 'web', 'delete', 'remove', 'patch')) return undefined;
  if (takes('command')) return !choosesCommand(properties) && runsCommands(tool, parts) ? 'shell' : undefined;
  if (file && takes('before') && takes('after')) return 'edit';
  if (file && takes('content') && named('write', 'create', 'save', 'put', 'overwrite')) return 'write';
  if (named('grep', 'search', 'find', 'rg', 'ripgrep') && takes('pattern')) return aboutFiles(tool) ? 'search' : undefined;
  if (named('list', 'ls', 'glob', 'dir', 'tree') && (file || takes('directory') || takes('glob') || aboutFiles(tool))) return 'list';
  return file && !takes('content') && named('read', 'cat', 'open', 'view', 'get', 'load', 'show') ? 'read' : undefined;
}

function runsCommands({ function: { description = '' } }: Tool, parts: ReadonlySet<string>): boolean {
  const names = ['bash', 'sh', 'zsh', 'shell', 'powershell', 'terminal', 'exec', 'execute', 'run'];
  return names.some((name) => parts.has(name)) || /\b(?:shell|bash|terminal|command line)\b/i.test(description.slice(0, 400));
}

const aboutFiles = ({ function: { name, description = '' } }: Tool) =>
  /file|director|folder|code|grep|glob/i.test(`${name} ${description.slice(0, 400)}`);

/** Whether a member `command` is a choice, as that of an editor with several commands, and no command of a shell. */
function choosesCommand(properties: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(properties).some(
    ([name, schema]) => members.command.test(memberName(name)) && isObject(schema) && 'enum' in schema,
  );
}
