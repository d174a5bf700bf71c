import { join } from 'node:path';
import { API, type Checker, type Project, type Symbol, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';
import {
  isArrayTypeNode,
  isParenthesizedTypeNode,
  isTypeNode,
  isTypeOperatorNode,
  isTypeReferenceNode,
  isUnionTypeNode,
  SyntaxKind,
  type TypeNode,
} from 'typescript/unstable/ast';
import { type DtoRules, narrowed } from './dto-rules.js';
import { anyOf, type JsonSchema, refTo } from './json-schema.js';

/** What holds the value that is answered in the end, and what is none. */
const HOLDERS: ReadonlySet<string | undefined> = new Set(['Promise', 'Observable', 'WrittenJson']);
const EVENTS: ReadonlySet<string | undefined> = new Set(['ByteText', 'EventRun']);

/**
 * Makes JSON Schemas of the types that the compiler finds in the sources, with their docstrings as descriptions. A type
 * that is exported becomes a component of its own name.
 */
export class TypeSchemas {
  /** The components by their names. */
  readonly components: Record<string, JsonSchema> = {};
  readonly project: Project;
  readonly checker: Checker;
  readonly #compiler: API;
  readonly #declared = new Map<string, Symbol>();

  /**
   * @param source the folder `src`
   * @param rules of the classes whose values come from outside
   */
  constructor(
    private readonly source: string,
    private readonly rules: DtoRules,
  ) {
    const config = join(source, '../tsconfig.build.json');
    this.#compiler = new API({ cwd: source });
    this.project = this.#compiler.updateSnapshot({ openProjects: [config] }).getProjects()[0]!;
    this.checker = this.project.checker;
  }

  /** Ends the compiler's process. */
  close(): void {
    this.#compiler.close();
  }

  /** What the files of the sources export whose names end so. */
  exportsOf(ending: string): Symbol[] {
    const files = this.project.program.getSourceFileNames().filter((name) => name.startsWith(this.source) && name.endsWith(ending));
    return files.flatMap((file) => {
      const module = this.checker.getSymbolAtLocation(this.project.program.getSourceFile(file)!);
      return module ? this.checker.getExportsOfModule(module) : [];
    });
  }

  /** Makes a component of an exported type that no signature names. */
  declare(name: string, path: string): void {
    const declared = this.exportsOf(`/${path}`).find((one) => one.name === name);
    if (!declared) throw new Error(`${path} declares no type ${name}`);
    this.schemaOf(this.checker.getDeclaredTypeOfSymbol(declared));
  }

  /** The docstring of something, with each paragraph in one line; undefined where there is none. */
  docsOf(symbol: Symbol): string | undefined {
    return symbol.getDocumentationComment(this.checker).replace(/(?<!\n)\n(?!\n)/g, ' ') || undefined;
  }

  /** What a handler answers in the end: what is in its Promise or its Observable, without the events of a stream. */
  answered(type: Type): Type | undefined {
    if (type.isUnionType()) return type.getTypes().map((one) => this.answered(one)).find((one) => one !== undefined); // prettier-ignore
    if (type.flags & (TypeFlags.Void | TypeFlags.Undefined)) return undefined;
    const name = nameOf(type)?.name;
    if (HOLDERS.has(name)) return this.answered(this.#argumentsOf(type)[0]!);
    return EVENTS.has(name) ? undefined : type;
  }

  /**
   * @param text of what has the type, which alone says that a number is whole
   * @throws Error for what JSON cannot hold, or what this class does not know
   */
  schemaOf(type: Type, text = ''): JsonSchema {
    const named = nameOf(type);
    return named && this.#isOurs(named) ? this.#component(named, type, this.#argumentsOf(type)) : this.#plain(type, text);
  }

  /**
   * As `schemaOf`, by what is written where it is declared: types have neither the names of the parts of a union nor
   * their order. What depends on the parameter of a generic type is not written there.
   */
  #written(type: Type, symbol: Symbol, text = ''): JsonSchema {
    const declared = symbol.declarations[0]?.resolve() as { type?: TypeNode } | undefined;
    const node = declared?.type && isTypeNode(declared.type) ? declared.type : undefined;
    const own = node && this.checker.getTypeFromTypeNode(node);
    return own && this.checker.isTypeAssignableTo(own, type) ? this.#ofNode(node, own) : this.schemaOf(type, node?.getText() ?? text);
  }

  #ofNode(node: TypeNode, type = this.checker.getTypeFromTypeNode(node)!): JsonSchema {
    if (isParenthesizedTypeNode(node) || (isTypeOperatorNode(node) && node.operator === SyntaxKind.ReadonlyKeyword))
      return this.#ofNode(node.type);
    if (isArrayTypeNode(node)) return { type: 'array', items: this.#ofNode(node.elementType) };
    if (isTypeReferenceNode(node) && !node.typeArguments) {
      const found = this.checker.getSymbolAtLocation(node.typeName)!;
      const named = found.flags & SymbolFlags.Alias ? this.checker.getAliasedSymbol(found) : found;
      if (named.name !== 'Integer' && this.#isOurs(named)) return this.#component(named, type, []);
    }
    if (!isUnionTypeNode(node)) return this.schemaOf(type, node.getText());
    return anyOf(node.types.filter(({ kind }) => kind !== SyntaxKind.UndefinedKeyword).map((one) => this.#ofNode(one)));
  }

  /** The schema that a reference is to. */
  resolved(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : this.components[schema.$ref.split('/').at(-1)!]!;
  }

  #plain(type: Type, text: string): JsonSchema {
    const { flags } = type;
    const known = plain.find(([flag]) => flags & flag)?.[1];
    if (known) return { ...known };
    if (flags & TypeFlags.Number) return { type: /\bInteger\b/.test(text) ? 'integer' : 'number' };
    if (type.isLiteralType()) return { type: typeof type.value, const: type.value };
    if (type.isUnionType()) {
      const given = type.getTypes().filter((one) => !(one.flags & TypeFlags.Undefined));
      return anyOf(given.map((one) => this.schemaOf(one, text)));
    }
    if (this.checker.isArrayLikeType(type)) return { type: 'array', items: this.schemaOf(this.#argumentsOf(type)[0]!, text) };
    if (nameOf(type)?.name === 'Date') return { type: 'string', format: 'date-time' };
    if (type.isObjectType() || type.isIntersectionType()) return this.#object(type, text.includes('{') ? '' : text);
    throw new Error(`no JSON Schema for ${this.checker.typeToString(type)}`);
  }

  /** Of a class that has rules, the fields that have one. */
  #object(type: Type, text: string): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    const [rules] = [type, ...(type.getBaseTypes() ?? [])].flatMap((one) => this.rules.of(one.getSymbol()?.name ?? '') ?? []);
    for (const property of this.checker.getPropertiesOfType(type)) {
      const { name, flags } = property;
      const rule = rules?.get(name);
      if ((rules && !rule) || flags & SymbolFlags.Method) continue;
      const schema = this.#written(this.checker.getTypeOfSymbol(property)!, property, text);
      const description = this.docsOf(property);
      properties[name] = { ...(rule ? narrowed(schema, rule.schema) : schema), ...(description !== undefined && { description }) };
      if (!(flags & SymbolFlags.Optional) && rule?.optional !== true) required.push(name);
    }
    const [index] = this.checker.getIndexInfosOfType(type);
    const values = index && this.schemaOf(index.valueType, text);
    const additionalProperties = values && (Object.keys(values).length > 0 ? values : true);
    if (values && required.length === 0 && Object.keys(properties).length === 0) return { type: 'object', additionalProperties };
    return { type: 'object', properties, required, ...(values && { additionalProperties }) };
  }

  #argumentsOf(type: Type): readonly Type[] {
    if (type.getAliasSymbol()) return type.getAliasTypeArguments();
    return type.isTypeReference() ? this.checker.getTypeArguments(type) : [];
  }

  /** Whether a file of the sources exports it. */
  #isOurs(symbol: Symbol): boolean {
    return symbol.getParent() !== undefined && symbol.declarations[0]?.path.startsWith(this.source) === true;
  }

  #component(symbol: Symbol, type: Type, types: readonly Type[]): JsonSchema {
    const given = types.map((one) => this.schemaOf(one));
    const name =
      symbol.name.replace(/Dto$/, '') + given.map(({ $ref, type: kind }) => `Of${$ref?.split('/').at(-1) ?? String(kind)}`).join('');
    const other = this.#declared.get(name);
    if (other && other.id !== symbol.id) throw new Error(`two types of the wire are called ${name}`);
    if (!other) {
      this.#declared.set(name, symbol);
      this.components[name] = {};
      const description = this.docsOf(symbol);
      this.components[name] = {
        ...(description !== undefined && { description }),
        ...(type.isUnionType() && given.length === 0 ? this.#written(type, symbol) : this.#plain(type, '')),
      };
    }
    return refTo(name);
  }
}

const plain: readonly (readonly [TypeFlags, JsonSchema])[] = [
  [TypeFlags.Unknown, {}],
  [TypeFlags.NonPrimitive, { type: 'object' }],
  [TypeFlags.Null, { type: 'null' }],
  [TypeFlags.String | TypeFlags.TemplateLiteral, { type: 'string' }],
  [TypeFlags.Boolean, { type: 'boolean' }],
];

function nameOf(type: Type): Symbol | undefined {
  return type.getAliasSymbol() ?? (type.isObjectType() ? type.getSymbol() : undefined);
}
