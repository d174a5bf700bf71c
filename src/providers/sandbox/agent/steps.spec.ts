import { stepsOf } from './steps.js';

const plain = (question: string) => stepsOf(question).map(({ said: _said, later: _later, ...step }) => step);

describe('the steps of a question', () => {
  it.each<[string, object[]]>([
    ['What files are here?', [{ kind: 'list' }]],
    ['Please list all files in the src/wire folder.', [{ kind: 'list', directory: 'src/wire' }]],
    ['Show me the *.ts files', [{ kind: 'list', glob: '*.ts' }]],
    ['What is in package.json?', [{ kind: 'read', file: 'package.json' }]],
    ['Can you summarise `docs/read me.md` and ./a.txt', [{ kind: 'read', file: './a.txt' }]],
    ['Run `npm test && ls`', [{ kind: 'run', command: 'npm test && ls' }]],
    [
      'run git status, then run the tests.',
      [
        { kind: 'run', command: 'git status' },
        { kind: 'run', command: 'npm test' },
      ],
    ],
    ['Change the colour in theme.css from red to blue.', [{ kind: 'edit', file: 'theme.css', from: 'red', to: 'blue' }]],
    ['In main.ts, rename foo to bar', [{ kind: 'edit', file: 'main.ts', from: 'foo', to: 'bar' }]],
    ['Replace "a, b and c" with "d" in x.txt', [{ kind: 'edit', file: 'x.txt', from: 'a, b and c', to: 'd' }]],
    [
      'Read a.txt. Replace one by two.',
      [
        { kind: 'read', file: 'a.txt' },
        { kind: 'edit', file: 'a.txt', from: 'one', to: 'two' },
      ],
    ],
    ['Create hello.py with the content "print(1)"', [{ kind: 'write', file: 'hello.py', text: 'print(1)' }]],
    ['Write a poem to poem.txt', [{ kind: 'write', file: 'poem.txt' }]],
    ['Append "one more" to list.txt', [{ kind: 'append', file: 'list.txt', text: 'one more' }]],
    ['Search for TODO in src/', [{ kind: 'search', pattern: 'TODO', directory: 'src/' }]],
    ['1. List the files\n2. Read a.md\n3. Report', [{ kind: 'list' }, { kind: 'read', file: 'a.md' }]],
    ['Tell me a joke about files', []],
    ['What should I read this weekend?', []],
    ['How is the weather in Oslo? See https://example.com/a.html', []],
    ['', []],
  ])('of %j', (question, steps) => {
    expect(plain(question)).toEqual(steps.map((step) => expect.objectContaining(step)));
    expect(plain(question)).toHaveLength(steps.length);
  });

  it('come later after a full stop and after `then`, and are together after a comma and `and`', () => {
    const later = (question: string) => stepsOf(question).map((step) => step.later);
    expect(later('List the files, read a.txt and read b.txt')).toEqual([true, false, false]);
    expect(later('List the files, then read a.txt. Read b.txt')).toEqual([true, true, true]);
  });

  it.each([
    'a/'.repeat(2_000),
    '. '.repeat(2_000),
    '\n \n'.repeat(1_300),
    "'".repeat(4_000),
    'replace '.repeat(1_000),
    'a.'.repeat(2_000),
    '`a`'.repeat(1_300),
  ])('are soon found in %j', (question) => {
    const started = process.threadCpuUsage();
    stepsOf(question);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(300);
  });
});
