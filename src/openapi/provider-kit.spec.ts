import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SymbolFlags } from 'typescript/unstable/sync';
import { providerSchema } from '../config/provider.schema.js';
import { DtoRules } from './dto-rules.js';
import { TypeSchemas } from './type-schemas.js';

const root = join(import.meta.dirname, '..');
const types = new TypeSchemas(root, new DtoRules());
const { checker } = types;
afterAll(() => types.close());

/** What the kit exports, as it is declared. */
const exported = new Map(
  types
    .exportsOf('/providers/kit/provider-kit.ts')
    .map((one) => [one.name, one.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one] as const),
);
const declared = new Set([...exported.values()].map(({ id }) => id));

/** The items of the chapter's list, by what each begins with. */
const chapter = readFileSync(join(root, 'providers/README.md'), 'utf8').split('\n## What the kit exports\n')[1]!.split('\n## ')[0]!;
const items = new Map(
  [...chapter.matchAll(/^- ((?:`\w+`(?:, )?)+):.*(?:\n {2}.*)*/gm)].flatMap(([text, names]) =>
    names!.split(', ').map((name) => [name.slice(1, -1), text] as const),
  ),
);

/** Names of the public members of a type, but for those of types that the kit exports themselves. */
function membersOf(name: string): string[] {
  const symbol = exported.get(name)!;
  if (name === 'ProviderConfig') return Object.keys(providerSchema.shape);
  if (!(symbol.flags & SymbolFlags.Type)) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const [declaration] = symbol.declarations;
  const written = declaration!.resolve()!.getText();
  const parts = type.isUnionType() ? type.getTypes() : [type];
  const words = parts.flatMap((one) => (one.isStringLiteralType() && written.includes(`'${one.value}'`) ? [one.value] : []));
  const shown = parts.filter((one) => !one.isLiteralType() && (one === type || !declared.has(one.getSymbol()?.id ?? 0)));
  const own = shown.flatMap((one) => checker.getPropertiesOfType(one));
  const members = own.filter((member) => {
    const [at] = member.declarations;
    const owner = member.getParent()?.id ?? symbol.id;
    const isPublic = !/^(private|protected)\b/.test(at?.resolve()?.getText() ?? 'private');
    return isPublic && /^(?!__)\w/.test(member.name) && at!.path === declaration!.path && (owner === symbol.id || !declared.has(owner));
  });
  return [...words, ...members.map((member) => member.name)];
}

it('exports what its chapter lists', () => {
  expect([...items.keys()].sort()).toEqual([...exported.keys()].sort());
});

it.each([...exported.keys()])('exports %s, whose members its chapter names', (name) => {
  expect(membersOf(name).filter((member) => !new RegExp(`\`${member}\\b`).test(items.get(name) ?? ''))).toEqual([]);
});
