import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClassMember, TsType, TsTypeElement } from '@swc/core';
import { providerSchema } from '../config/provider.schema.js';
import { type Declared, type SourceFile, SourceFiles } from './source-files.js';

const root = join(import.meta.dirname, '..');
const files = new SourceFiles(root);
const kit = readFileSync(join(root, 'providers/provider-kit.ts'), 'utf8');

/** Where each name that the kit exports is declared below src, under which name, and whether it is only a type. */
const exported = new Map(
  [...kit.matchAll(/^export (type )?\{([^}]*)\} from '(.*)\.js';$/gm)].flatMap(([, types, names, from]) =>
    [...names!.matchAll(/(type )?\b(\w+)(?: as (\w+))?,?/g)].map(([, type, own, name]) => {
      return [name ?? own!, { own: own!, path: join('providers', `${from}.ts`), isType: Boolean(types ?? type) }] as const;
    }),
  ),
);

/** The items of the chapter's list, by what each begins with. */
const chapter = readFileSync(join(root, 'providers/README.md'), 'utf8').split('\n## What the kit exports\n')[1]!.split('\n## ')[0]!;
const items = new Map(
  [...chapter.matchAll(/^- ((?:`\w+`(?:, )?)+):.*(?:\n {2}.*)*/gm)].flatMap(([text, names]) =>
    names!.split(', ').map((name) => [name.slice(1, -1), text] as const),
  ),
);

const isPublic = (member: object): boolean => ((member as { accessibility?: string }).accessibility ?? 'public') === 'public';

function nameOf(member: ClassMember | TsTypeElement): string[] {
  const keys =
    member.type === 'Constructor'
      ? member.params.flatMap((param) => (param.type === 'TsParameterProperty' && isPublic(param) ? [param.param] : []))
      : 'key' in member && isPublic(member) && !('computed' in member && member.computed)
        ? [member.key]
        : [];
  return keys.flatMap((key) => (key.type === 'Identifier' ? [key.value] : []));
}

/** Names of the public members of a type, but for those of types that the kit exports themselves. */
function membersOf({ declaration, file }: Declared): string[] {
  if (declaration.type === 'TsTypeAliasDeclaration') return membersIn(declaration.typeAnnotation, file);
  const bases = declaration.type === 'TsInterfaceDeclaration' ? declaration.extends : [];
  const { body } = declaration;
  const own = (Array.isArray(body) ? body : body.body).flatMap(nameOf);
  return [
    ...own,
    ...bases.flatMap(({ expression, typeArguments }) => named((expression as { value: string }).value, typeArguments?.params, file)),
  ];
}

function membersIn(type: TsType, file: SourceFile): string[] {
  if (type.type === 'TsTypeLiteral') return type.members.flatMap(nameOf);
  if (type.type === 'TsIntersectionType' || type.type === 'TsUnionType') return type.types.flatMap((one) => membersIn(one, file));
  if (type.type === 'TsLiteralType') return type.literal.type === 'StringLiteral' ? [type.literal.value] : [];
  return type.type === 'TsTypeReference' && type.typeName.type === 'Identifier'
    ? named(type.typeName.value, type.typeParams?.params, file)
    : [];
}

function named(name: string, given: readonly TsType[] = [], file: SourceFile): string[] {
  if (name === 'Pick') return membersIn(given[1]!, file);
  if (name === 'Partial' || name === 'Readonly') return membersIn(given[0]!, file);
  const declared = exported.has(name) ? undefined : files.find(name, file);
  return declared ? membersOf(declared) : [];
}

it('exports what its chapter lists', () => {
  expect([...items.keys()].sort()).toEqual([...exported.keys()].sort());
});

it.each([...exported])('exports %s, whose members its chapter names', (name, { own, path, isType }) => {
  const declared = files.read(path).own(own);
  expect(declared === undefined && isType).toBe(false);
  const members = name === 'ProviderConfig' ? Object.keys(providerSchema.shape) : declared ? membersOf(declared) : [];
  expect(members.filter((member) => !new RegExp(`\`${member}\\b`).test(items.get(name) ?? ''))).toEqual([]);
});
