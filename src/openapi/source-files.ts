import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  type ClassDeclaration,
  type ClassMember,
  type Module,
  parseSync,
  type Span,
  type TsInterfaceDeclaration,
  type TsTypeAliasDeclaration,
  type TsTypeElement,
} from '@swc/core';

export type TypeDeclaration = ClassDeclaration | TsInterfaceDeclaration | TsTypeAliasDeclaration;

/** A type where it is declared. */
export interface Declared {
  readonly file: SourceFile;
  readonly declaration: TypeDeclaration;
  readonly exported: boolean;
}

/** What a docstring says. */
export interface Docs {
  /** Its text as one line per paragraph; undefined where there is none. */
  readonly text?: string;
  /** The lines of each tag, without its name, for example of `throws`. */
  readonly tags: Readonly<Record<string, readonly string[]>>;
}

/** The syntax tree of one source file, with what the tree leaves out: the docstrings. */
export class SourceFile {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #declared = new Map<string, Declared>();
  readonly #imported = new Map<string, { readonly name: string; readonly from: string }>();

  constructor(
    readonly path: string,
    text: string,
  ) {
    // Spans count bytes, over all files that the process has parsed. The empty statement is where this file begins; the
    // module itself would begin with its first statement.
    const marked = `;${text}`;
    this.#bytes = Buffer.from(marked);
    const module: Module = parseSync(marked, { syntax: 'typescript', decorators: true, target: 'es2023' });
    this.#start = module.span.start;
    for (const item of module.body) {
      if (item.type === 'ImportDeclaration') {
        for (const specifier of item.specifiers) {
          const name = specifier.type === 'ImportSpecifier' ? (specifier.imported ?? specifier.local).value : specifier.local.value;
          this.#imported.set(specifier.local.value, { name, from: item.source.value });
        }
      }
      const exported = item.type === 'ExportDeclaration';
      const declaration = exported ? item.declaration : item;
      if (declaration.type === 'ClassDeclaration') this.#add(declaration.identifier.value, declaration, exported, item.span);
      if (declaration.type === 'TsInterfaceDeclaration' || declaration.type === 'TsTypeAliasDeclaration')
        this.#add(declaration.id.value, declaration, exported, item.span);
    }
  }

  /** @returns a type that this file declares */
  own(name: string): Declared | undefined {
    return this.#declared.get(name);
  }

  imported(name: string): { readonly name: string; readonly from: string } | undefined {
    return this.#imported.get(name);
  }

  classes(): Declared[] {
    return [...this.#declared.values()].filter(({ declaration }) => declaration.type === 'ClassDeclaration');
  }

  /** The docstring before a declaration or a member. */
  docsOf({ span }: ClassMember | TsTypeElement | TypeDeclaration): Docs {
    const before = this.#bytes.subarray(0, this.#before.get(span.start) ?? span.start - this.#start).toString();
    const found = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(before)?.[1];
    return parseDocs(found ?? '');
  }

  /** Where the statement of an exported declaration begins, or its decorators: the docstring is before it. */
  readonly #before = new Map<number, number>();

  #add(name: string, declaration: TypeDeclaration, exported: boolean, statement: Span): void {
    const decorators = declaration.type === 'ClassDeclaration' ? (declaration.decorators ?? []) : [];
    const first = Math.min(statement.start, ...decorators.map(({ span }) => span.start));
    this.#before.set(declaration.span.start, first - this.#start);
    this.#declared.set(name, { file: this, declaration, exported });
  }
}

function parseDocs(comment: string): Docs {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd());
  const tags: Record<string, string[]> = {};
  const text: string[] = [];
  let tag: string | undefined;
  for (const line of lines) {
    const begun = /^@(\w+)\s*(.*)$/.exec(line);
    if (begun) (tags[(tag = begun[1]!)] ??= []).push(begun[2]!);
    else if (tag !== undefined) tags[tag]!.push(`${tags[tag]!.pop()} ${line}`.trim());
    else text.push(line);
  }
  const paragraphs = text.join('\n').trim().split(/\n{2,}/).map((paragraph) => paragraph.replace(/\n/g, ' ').trim()); // prettier-ignore
  return { text: paragraphs.join('\n\n') || undefined, tags };
}

/** The sources of the product, parsed as they are asked for. */
export class SourceFiles {
  readonly #files = new Map<string, SourceFile>();

  /** @param root the folder `src` */
  constructor(private readonly root: string) {}

  /** The controllers by the names of their classes. */
  controllers(): Map<string, Declared> {
    const paths = globSync('**/*.controller.ts', { cwd: this.root }).map((path) => join(this.root, path));
    const classes = paths.flatMap((path) => this.#file(path).classes());
    return new Map(classes.map((found) => [(found.declaration as ClassDeclaration).identifier.value, found]));
  }

  /** @returns the type that a name means in a file; undefined for a name of a package or of the language */
  find(name: string, file: SourceFile): Declared | undefined {
    const own = file.own(name);
    const imported = file.imported(name);
    if (own || !imported?.from.startsWith('.')) return own;
    const target = resolve(dirname(file.path), imported.from.replace(/\.js$/, '.ts'));
    return existsSync(target) ? this.#file(target).own(imported.name) : undefined;
  }

  /** @param path below the root */
  read(path: string): SourceFile {
    return this.#file(join(this.root, path));
  }

  #file(path: string): SourceFile {
    let file = this.#files.get(path);
    if (!file) this.#files.set(path, (file = new SourceFile(path, readFileSync(path, 'utf8'))));
    return file;
  }
}
