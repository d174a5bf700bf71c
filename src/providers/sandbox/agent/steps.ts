import { MARK, QuotedText } from './quoted-text.js';

/** Something that the user wants done with files or in a shell. */
export type Step = {
  /** The user's words. */
  readonly said: string;
  /** Whether it comes after what was said before it, and not beside it. */
  readonly later: boolean;
} & (
  | { readonly kind: 'list'; readonly directory?: string; readonly glob?: string }
  | { readonly kind: 'read'; readonly file: string }
  | { readonly kind: 'edit'; readonly file: string; readonly from: string; readonly to: string }
  | { readonly kind: 'append'; readonly file: string; readonly text: string }
  | { readonly kind: 'write'; readonly file: string; readonly text?: string }
  | { readonly kind: 'search'; readonly pattern: string; readonly directory?: string }
  | { readonly kind: 'run'; readonly command: string }
);

export type StepKind = Step['kind'];

type StepFacts = Step extends infer One ? (One extends Step ? Omit<One, 'said' | 'later'> : never) : never;

/** The most steps that one question asks for, and the most clauses that are looked at. */
const MAX_STEPS = 24;
const MAX_CLAUSES = 100;

/** Cuts a question into clauses. What the group `later` matches puts the next clause after the one before it. */
const SEPARATOR =
  /(?<later>[.!?;:]? ?\n(?:\d+[.)] |[-*] )?|[.!?;] |,? (?:and )?(?:then|afterwards|after that|next|finally)\b,? ?)|, (?:and )?| and /gi;
const POLITE = '(?:(?:please|also|now|first|next|then|finally|can you|could you|would you|i want you to|help me|kindly|to),? )*';
/** Verbs that begin a clause of their own, also those that ask for nothing that a function does. */
const VERB =
  '(?:list|ls|show|see|look|explore|inspect|check|read|open|view|cat|print|display|examine|summari[sz]e|explain|review|replace|change|edit|' +
  'rename|fix|modify|update|substitute|swap|correct|turn|add|append|insert|create|write|save|make|put|search|grep|find|locate|run|execute|' +
  'launch|report|tell|say|answer|give|describe|let|use|call|do|count)';
const BEGINS_CLAUSE = new RegExp(`^${POLITE}${VERB}\\b`, 'i');

const NAMED_FILE =
  '(?:(?:~|\\.{1,2})?\\/)?(?:[\\w@.-]+\\/)*[\\w@-][\\w@.-]*\\.[A-Za-z][A-Za-z0-9]{0,9}|(?:~|\\.{1,2})?(?:\\/[\\w@.-]+)+|README|LICENSE|Makefile|Dockerfile';
const FILE = new RegExp(`(?<![\\w/.@:~-])(?:${NAMED_FILE})(?![\\w/-])`, 'g');
const ONLY_FILE = new RegExp(`^(?:${NAMED_FILE})$`);
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/gi;
const VALUE = `${MARK}|[^\\s,]+`;
/** Words that say what kind of a thing a value is. */
const KIND_OF_VALUE = '(?:(?:the|every|each|all|any) )?(?:(?:word|words|text|string|line|name|occurrences? of|colou?r|value)s? )?(?:of )?';

/** Finds what a question asks to be done, in its order. Nothing else of it is understood. */
export function stepsOf(question: string): Step[] {
  const quoted = new QuotedText(question.replaceAll(/[^\S\n]+/g, ' ').replaceAll(/ ?\n\s*/g, '\n'));
  const everyFile = filesIn(quoted.text, quoted);
  const steps: Step[] = [];
  let lastFile = everyFile[0];
  for (const { text, later } of clausesOf(quoted.text)) {
    const files = filesIn(text, quoted);
    const found = stepsOfClause(text, files, lastFile, quoted);
    lastFile = files.at(-1) ?? lastFile;
    const said = withoutEnd(quoted.restore(text)).trim();
    found.forEach((step, index) => steps.push({ ...step, said, later: later && index === 0 }));
  }
  return steps.slice(0, MAX_STEPS);
}

/** The text without the signs at its end. */
const withoutEnd = (text: string) => text.replace(/(?<![.!?;:,\s])[.!?;:,\s]+$/, '');

function clausesOf(text: string): { text: string; later: boolean }[] {
  const clauses: { text: string; later: boolean }[] = [];
  let from = 0;
  let joint = '';
  let later = true;
  const end = (to: number) => {
    const piece = text.slice(from, to);
    const before = clauses.at(-1);
    if (!before || later || BEGINS_CLAUSE.test(piece)) clauses.push({ text: piece, later });
    else before.text += joint + piece;
  };
  for (const separator of text.matchAll(SEPARATOR)) {
    if (clauses.length >= MAX_CLAUSES) return clauses;
    end(separator.index);
    joint = separator[0];
    later = separator.groups?.['later'] !== undefined;
    from = separator.index + joint.length;
  }
  end(text.length);
  return clauses;
}

function filesIn(text: string, quoted: QuotedText): string[] {
  const found = [...text.replaceAll(ADDRESS, ' ').matchAll(new RegExp(`${MARK}|${FILE.source}`, 'g'))].map(([file]) => quoted.plain(file));
  return [...new Set(found.filter((file) => ONLY_FILE.test(file)))];
}

function stepsOfClause(text: string, files: readonly string[], lastFile: string | undefined, quoted: QuotedText): StepFacts[] {
  const command = commandIn(text, quoted);
  if (command !== undefined) return [{ kind: 'run', command }];
  const file = files[0] ?? lastFile;
  const change = changeIn(text, quoted);
  if (change)
    return (files.length > 0 ? files : [file]).flatMap((one) => (one === undefined ? [] : [{ kind: 'edit', file: one, ...change }]));
  const quotations = [...text.matchAll(new RegExp(MARK, 'g'))].map(([mark]) => quoted.plain(mark));
  const quotation = quotations.find((one) => !files.includes(one));
  if (file !== undefined && quotation !== undefined && /\b(?:add|append|insert)\b/i.test(text))
    return [{ kind: 'append', file, text: quotation }];
  if (files.length > 0 && /\b(?:create|write|save|make|put|add)\b/i.test(text)) {
    return [{ kind: 'write', file: files[0]!, text: quotation ?? contentIn(text, quoted) }];
  }
  const pattern = /\b(?:search|grep|find|look for|locate)\b/i.test(text) ? (quotation ?? wordSearched(text)) : undefined;
  if (pattern !== undefined) return [{ kind: 'search', pattern, directory: directoryIn(text, quoted) }];
  if (
    /\b(?:read|open|view|cat|show|print|display|look|inspect|check|examine|summari[sz]e|explain|review|describe|count|what)\b/i.test(text)
  ) {
    if (files.length > 0) return files.map((one) => ({ kind: 'read', file: one }));
  }
  const asksForList =
    /\b(?:list|ls|show|see|look|explore|inspect|check|find|what|which|how many|enumerate)\b/i.test(text) &&
    /\b(?:files?|director(?:y|ies)|folders?|repo(?:sitory)?|workspace|codebase)\b/i.test(text);
  if (!asksForList || files.length > 0) return [];
  return [{ kind: 'list', directory: directoryIn(text, quoted), glob: /(?<!\S)\*\*?[\w*./-]+/.exec(quoted.plain(text))?.[0] }];
}

/** What to run: something quoted, or words that begin with the name of a program that is common. */
function commandIn(text: string, quoted: QuotedText): string | undefined {
  const [, said = ''] = /\b(?:run|execute|launch)\b(.*)$/is.exec(text) ?? [];
  const mark = new RegExp(MARK).exec(said)?.[0];
  if (mark !== undefined) return quoted.plain(mark);
  const [, words = ''] = /^(?: the| a)?(?: shell| bash)?(?: command)?:? (.*)$/is.exec(withoutEnd(said)) ?? [];
  if (/^(?:unit |e2e )?tests?\b/i.test(words)) return 'npm test';
  return PROGRAM.test(words) ? words : undefined;
}

const PROGRAM =
  /^(?:npm|npx|pnpm|yarn|node|tsc|deno|bun|python3?|pytest|pip|go|cargo|make|git|ls|cat|pwd|echo|date|whoami|uname|wc|head|tail|grep|rg|find|sort|tree|bash|sh|docker)\b/;

/** What is replaced by what: `replace X with Y`, `change X to Y`, `from X to Y`. */
function changeIn(text: string, quoted: QuotedText): { from: string; to: string } | undefined {
  if (!/\b(?:replace|change|edit|rename|fix|modify|update|substitute|swap|correct|turn)\b/i.test(text)) return undefined;
  for (const pattern of CHANGES) {
    const [, from, to] = pattern.exec(text) ?? [];
    if (from === undefined || to === undefined || /^(?:the|it|this|that|a|an|its)$/i.test(from)) continue;
    const change = { from: valueOf(from, quoted), to: valueOf(to, quoted) };
    if (change.from !== '' && change.from !== change.to && !ONLY_FILE.test(change.from)) return change;
  }
  return undefined;
}

const CHANGES = [
  new RegExp(`(${MARK}) (?:with|by|to|into|->|=>|→) ${KIND_OF_VALUE}(${MARK})`, 'i'),
  new RegExp(`\\bfrom ${KIND_OF_VALUE}(${VALUE}) (?:to|into) ${KIND_OF_VALUE}(${VALUE})`, 'i'),
  new RegExp(`\\b(?:replace|substitute|swap) ${KIND_OF_VALUE}(${VALUE}) (?:with|by|for) ${KIND_OF_VALUE}(${VALUE})`, 'i'),
  new RegExp(`\\b(?:change|rename|turn) ${KIND_OF_VALUE}(${VALUE}) (?:to|into) ${KIND_OF_VALUE}(${VALUE})`, 'i'),
];

const valueOf = (value: string, quoted: QuotedText) => quoted.plain(value).replace(/[.!?;:]$/, '');

/** What a file is to hold, where it is not quoted. */
function contentIn(text: string, quoted: QuotedText): string | undefined {
  const [, content] = /\b(?:containing|that says|saying|with the (?:content|contents|text|words?)):? (.+)$/is.exec(text) ?? [];
  return content && quoted.plain(content).trim();
}

const wordSearched = (text: string) => /\b(?:for|grep) (?:the (?:word|text|string|function) )?([\w$.-]+)/i.exec(text)?.[1];

function directoryIn(text: string, quoted: QuotedText): string | undefined {
  for (const pattern of DIRECTORIES) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined && !NO_DIRECTORY.test(found)) return quoted.plain(found).replace(/[.,]$/, '');
  }
  return undefined;
}

const DIRECTORIES = [
  new RegExp(`\\b(?:folder|directory|dir) (${MARK}|[\\w@./~-]+)`, 'i'),
  new RegExp(`\\b(?:in|of|under|inside|from) (?:the )?(${MARK}|[\\w@./~-]+) (?:folder|directory|dir)\\b`, 'i'),
  new RegExp(`\\b(?:in|of|under|inside|from) (?:the )?([\\w@.~-]*/[\\w@./~-]*|\\.{1,2}|${MARK})(?= |$)`, 'i'),
];
const NO_DIRECTORY = /^(?:the|this|that|current|working|root|project|same|whole|my|our|your|a|and|with|for|of|in|is|are|you|it|to)$/i;
