import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

/** What snippets in Python need of the packages that they import: https://pypi.org/project/openai, /langchain-openai */
const pythonPackages = {
  'openai.py': `
import json, types, urllib.request
class OpenAI:
    def __init__(self, base_url, api_key):
        def method(path):
            def create(**body):
                headers = {"authorization": f"Bearer {api_key}", "content-type": "application/json"}
                call = urllib.request.Request(f"{base_url}/{path}", json.dumps(body).encode(), headers)
                return json.load(urllib.request.urlopen(call), object_hook=lambda fields: types.SimpleNamespace(**fields))
            return types.SimpleNamespace(create=create)
        self.chat = types.SimpleNamespace(completions=method("chat/completions"))
        self.completions = method("completions")
`,
  'langchain_openai.py': `
from openai import OpenAI
class ChatOpenAI:
    def __init__(self, base_url, api_key, model):
        self.client, self.model = OpenAI(base_url, api_key), model
    def invoke(self, text):
        messages = [{"role": "user", "content": text}]
        return self.client.chat.completions.create(model=self.model, messages=messages).choices[0].message
`,
};

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Runs what pages show as programs, in a folder with the packages of JavaScript that they import. */
export class SnippetRunner {
  constructor(private readonly folder: string) {
    for (const [name, code] of Object.entries(pythonPackages)) writeFileSync(join(folder, name), code);
  }

  /** What a program in JavaScript prints. */
  javaScript(code: string, ...options: string[]): Promise<string> {
    return this.#run(execPath, options, 'snippet.mjs', code);
  }

  /** What a program in Python prints; where there is no Python, that it has not run. */
  python(code: string): Promise<string> {
    return hasPython() ? this.#run('python3', [], 'snippet.py', code) : Promise.resolve('not run');
  }

  /** Without the variables of whoever runs the tests, which clients read. */
  async #run(command: string, options: readonly string[], file: string, code: string): Promise<string> {
    writeFileSync(join(this.folder, file), code);
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONPATH: this.folder, no_proxy: '*' };
    const { stdout } = await promisify(execFile)(command, [...options, file], { cwd: this.folder, env });
    return stdout.trim();
  }
}
