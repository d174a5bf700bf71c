import type {
  ClassDeclaration,
  ClassProperty,
  Expression,
  TsEntityName,
  TsExpressionWithTypeArguments,
  TsInterfaceDeclaration,
  TsLiteral,
  TsType,
  TsTypeElement,
  TsTypeReference,
} from '@swc/core';
import { type DtoRules, type FieldSchema, narrowed } from './dto-rules.js';
import { namedValues } from './named-values.js';
import { anyOf, type JsonSchema, refTo } from './json-schema.js';
import type { Declared, SourceFile, SourceFiles } from './source-files.js';
import { ownOf } from '../wire/own-members.js';

/** What the parameters of a generic type stand for. */
type Bindings = ReadonlyMap<string, JsonSchema>;

interface Scope {
  readonly file: SourceFile;
  readonly bindings: Bindings;
}

const keywords: Readonly<Record<string, JsonSchema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  unknown: {},
  object: { type: 'object' },
};

/**
 * Makes JSON Schemas of the types that the sources declare, with their docstrings as descriptions. A type that is
 * exported becomes a component of its own name.
 */
export class TypeSchemas {
  /** The components by their names. */
  readonly components: Record<string, JsonSchema> = {};
  readonly #declared = new Map<string, Declared>();

  /** @param rules of the classes whose values come from outside */
  constructor(
    private readonly sources: SourceFiles,
    private readonly rules: DtoRules,
  ) {}

  /** @throws Error for what JSON cannot hold, or what this class does not know */
  schemaOf(type: TsType, file: SourceFile): JsonSchema {
    return this.#type(type, { file, bindings: new Map() });
  }

  /** Makes a component of an exported type that no signature names. */
  declare(name: string, path: string): void {
    const declared = this.sources.read(path).own(name);
    if (!declared) throw new Error(`${path} declares no type ${name}`);
    this.#component(name, declared, []);
  }

  #type(type: TsType, scope: Scope): JsonSchema {
    switch (type.type) {
      case 'TsKeywordType': {
        const known = ownOf(keywords, type.kind);
        if (known) return { ...known };
        break;
      }
      case 'TsLiteralType':
        return literalOf(type.literal);
      case 'TsArrayType':
        return { type: 'array', items: this.#type(type.elemType, scope) };
      case 'TsParenthesizedType':
        return this.#type(type.typeAnnotation, scope);
      case 'TsUnionType': {
        const given = type.types.filter((one) => one.type !== 'TsKeywordType' || one.kind !== 'undefined');
        return anyOf(given.map((one) => this.#type(one, scope)));
      }
      case 'TsIntersectionType':
        return merged(type.types.map((one) => this.resolved(this.#type(one, scope))));
      case 'TsTypeLiteral':
        return this.#members(type.members, scope);
      case 'TsTypeReference':
        return this.#reference(type, scope);
      case 'TsTypeOperator':
        if (type.op === 'readonly') return this.#type(type.typeAnnotation, scope);
        if (type.op === 'keyof') return { type: 'string', enum: this.#keys(type.typeAnnotation, scope) };
        break;
      case 'TsIndexedAccessType':
        return { type: 'string', enum: [...namedValues(queried(type.objectType))] };
      default:
    }
    throw new Error(`${scope.file.path}: no JSON Schema for a ${type.type}`);
  }

  #keys(of: TsType, scope: Scope): string[] {
    const inner = of.type === 'TsParenthesizedType' ? of.typeAnnotation : of;
    if (inner.type === 'TsTypeQuery') return [...namedValues(queried(inner))];
    return Object.keys(this.resolved(this.#type(inner, scope)).properties ?? {});
  }

  #reference({ typeName, typeParams }: Pick<TsTypeReference, 'typeName' | 'typeParams'>, scope: Scope): JsonSchema {
    const name = nameOf(typeName);
    const given = (): JsonSchema[] => typeParams?.params.map((type) => this.#type(type, scope)) ?? [];
    const bound = scope.bindings.get(name);
    if (bound) return bound;
    if (name === 'Integer') return { type: 'integer' };
    if (name === 'Date') return { type: 'string', format: 'date-time' };
    if (name === 'Record') return recordOf(...(given() as [JsonSchema, JsonSchema]));
    if (name === 'Partial') return { ...this.resolved(given()[0]!), required: undefined };
    if (name === 'Readonly' || name === 'Promise' || name === 'Observable') return given()[0]!;
    if (name === 'Array' || name === 'ReadonlyArray') return { type: 'array', items: given()[0]! };
    if (name === 'Pick' || name === 'Omit') return this.#chosen(name, given());
    const declared = this.sources.find(name, scope.file);
    if (!declared) throw new Error(`${scope.file.path}: the type ${name} is not declared in the sources`);
    return this.#component(name, declared, given());
  }

  #chosen(word: 'Pick' | 'Omit', [from, names]: JsonSchema[]): JsonSchema {
    const { properties = {}, required = [], ...rest } = this.resolved(from!);
    const listed = new Set([names!.const, names!.enum ?? []].flat());
    const kept = (name: string): boolean => listed.has(name) === (word === 'Pick');
    return {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => kept(name))),
      required: required.filter(kept),
    };
  }

  #component(name: string, declared: Declared, given: readonly JsonSchema[]): JsonSchema {
    const { declaration, file, exported } = declared;
    const parameters = ('typeParams' in declaration ? declaration.typeParams : undefined)?.parameters ?? [];
    const bindings = new Map(parameters.map((parameter, index) => [parameter.name.value, given[index] ?? {}]));
    if (!exported) return this.#declaration(declared, { file, bindings });
    const own = name.replace(/Dto$/, '') + given.map((schema) => `Of${schema.$ref?.split('/').at(-1) ?? String(schema.type)}`).join('');
    const other = this.#declared.get(own);
    if (other && other.declaration !== declaration)
      throw new Error(`two types of the wire are called ${own}: ${other.file.path}, ${file.path}`);
    if (!other) {
      this.#declared.set(own, declared);
      this.components[own] = {};
      this.components[own] = this.#declaration(declared, { file, bindings });
    }
    return refTo(own);
  }

  #declaration({ declaration, file }: Declared, scope: Scope): JsonSchema {
    const { text: description } = file.docsOf(declaration);
    const schema =
      declaration.type === 'TsTypeAliasDeclaration'
        ? this.#type(declaration.typeAnnotation, scope)
        : declaration.type === 'ClassDeclaration'
          ? this.#class(declaration, scope)
          : this.#interface(declaration, scope);
    return description === undefined ? schema : { description, ...schema };
  }

  #interface({ extends: bases, body }: TsInterfaceDeclaration, scope: Scope): JsonSchema {
    const inherited = bases.map((base) => this.resolved(this.#base(base, scope)));
    return merged([...inherited, this.#members(body.body, scope)]);
  }

  #base({ expression, typeArguments }: TsExpressionWithTypeArguments, scope: Scope): JsonSchema {
    const typeName = expression as Expression & TsEntityName;
    return this.#reference({ typeName, typeParams: typeArguments }, scope);
  }

  #class(declaration: ClassDeclaration, scope: Scope): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const [name, { schema, optional }] of this.#classProperties(declaration, scope)) {
      properties[name] = schema;
      if (!optional) required.push(name);
    }
    const own: JsonSchema = { type: 'object', properties, required };
    const base = declaration.superClass?.type === 'Identifier' && this.sources.find(declaration.superClass.value, scope.file);
    return base ? merged([this.#declaration(base, { file: base.file, bindings: new Map() }), own]) : own;
  }

  /** Of a class that has rules, the fields that have one. */
  *#classProperties({ identifier, body }: ClassDeclaration, scope: Scope): Iterable<[string, FieldSchema]> {
    const rules = this.rules.of(identifier.value);
    for (const member of body) {
      if (member.type !== 'ClassProperty' || member.isStatic || member.key.type !== 'Identifier') continue;
      const name = member.key.value;
      const rule = rules?.get(name);
      if (rules && !rule) continue;
      const typed = this.#propertyType(member, scope);
      const schema = this.#described(member, rule ? narrowed(typed, rule.schema) : typed, scope);
      yield [name, { schema, optional: member.isOptional || rule?.optional === true }];
    }
  }

  #propertyType({ typeAnnotation, value }: ClassProperty, scope: Scope): JsonSchema {
    if (typeAnnotation) return this.#type(typeAnnotation.typeAnnotation, scope);
    if (value?.type === 'BooleanLiteral') return { type: 'boolean' };
    if (value?.type === 'NumericLiteral') return { type: 'number' };
    return value?.type === 'StringLiteral' ? { type: 'string' } : {};
  }

  #members(members: readonly TsTypeElement[], scope: Scope): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    const schema: JsonSchema = { type: 'object', properties, required };
    for (const member of members) {
      if (member.type === 'TsIndexSignature') {
        const values = member.typeAnnotation && this.#type(member.typeAnnotation.typeAnnotation, scope);
        schema.additionalProperties = values && Object.keys(values).length > 0 ? values : true;
      }
      if (member.type !== 'TsPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation) continue;
      const name = member.key.value;
      properties[name] = this.#described(member, this.#type(member.typeAnnotation.typeAnnotation, scope), scope);
      if (!member.optional) required.push(name);
    }
    return schema;
  }

  #described(member: ClassProperty | TsTypeElement, schema: JsonSchema, { file }: Scope): JsonSchema {
    const { text: description } = file.docsOf(member);
    return description === undefined ? schema : { ...schema, description };
  }

  /** The schema that a reference is to. */
  resolved(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : this.components[schema.$ref.split('/').at(-1)!]!;
  }
}

function nameOf(name: TsEntityName | Expression): string {
  return name.type === 'Identifier' ? name.value : '';
}

/** The name of the constant that `typeof` asks for. */
function queried(type: TsType): string {
  const inner = type.type === 'TsParenthesizedType' ? type.typeAnnotation : type;
  if (inner.type !== 'TsTypeQuery') throw new Error(`no JSON Schema for an access to a ${inner.type}`);
  return nameOf(inner.exprName as TsEntityName);
}

function literalOf(literal: TsLiteral): JsonSchema {
  if (literal.type === 'StringLiteral') return { type: 'string', const: literal.value };
  if (literal.type === 'NumericLiteral') return { type: 'number', const: literal.value };
  if (literal.type === 'BooleanLiteral') return { type: 'boolean', const: literal.value };
  throw new Error(`no JSON Schema for a ${literal.type}`);
}

function recordOf(keys: JsonSchema, values: JsonSchema): JsonSchema {
  if (!keys.enum) return { type: 'object', additionalProperties: Object.keys(values).length > 0 ? values : true };
  const names = keys.enum as string[];
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, values])), required: names };
}

function merged(schemas: readonly JsonSchema[]): JsonSchema {
  const open = schemas.findLast(({ additionalProperties }) => additionalProperties !== undefined);
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)) as Record<string, JsonSchema>,
    required: [...new Set(schemas.flatMap(({ required }) => required ?? []))],
    ...(open && { additionalProperties: open.additionalProperties }),
  };
}
