const inMessage = `A name that objects inherit is in every object. Ask Object.hasOwn, or a Map or a Set.`;
const readMessage = `A name from outside may be one that objects inherit. Read it with ownOf (src/wire/own-members.ts), or out of a Map.`;

/** Names of types whose keys may be any string. */
const OPEN = new Set(['Record', 'Readonly', 'Partial']);

/** Whether a type says that its values have members of any name. */
function isOpen(type) {
  if (type?.type === 'TSTypeLiteral') return type.members.some((member) => member.type === 'TSIndexSignature');
  if (type?.type !== 'TSTypeReference' || !OPEN.has(type.typeName.name)) return false;
  const [first] = type.typeArguments?.params ?? [];
  return type.typeName.name === 'Record' ? first?.type === 'TSStringKeyword' : isOpen(first);
}

/** Without what says no more than its type. */
const bare = (node) => (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression' ? bare(node.expression) : node);

const isLiteral = ({ type, expressions }) => type === 'Literal' || (type === 'TemplateLiteral' && expressions.length === 0);

/** A plugin of oxlint: `lookups/own-members` refuses lookups by a name that find what objects inherit. */
export default {
  meta: { name: 'lookups' },
  rules: {
    'own-members': {
      create(context) {
        /** Constants of the module that are tables of any names. */
        const tables = new Set();
        const reads = [];
        return {
          VariableDeclarator({ id, init, parent }) {
            const isOfModule = parent.parent.type === 'Program' || parent.parent.type === 'ExportNamedDeclaration';
            if (isOfModule && parent.kind === 'const' && id.type === 'Identifier' && bare(init)?.type === 'ObjectExpression')
              if (isOpen(id.typeAnnotation?.typeAnnotation)) tables.add(id.name);
          },
          BinaryExpression({ operator, left }) {
            if (operator === 'in' && left.type !== 'PrivateIdentifier' && !isLiteral(left))
              context.report({ node: left, message: inMessage });
          },
          MemberExpression(node) {
            if (node.computed && !isLiteral(node.property)) reads.push(node);
          },
          'Program:exit'() {
            for (const { object, property, parent } of reads) {
              const written = parent.type === 'AssignmentExpression' && parent.left.property === property;
              const closed = property.type === 'TSAsExpression' && /keyof typeof/.test(context.sourceCode.getText(property.typeAnnotation));
              if (closed || (!written && object.type === 'Identifier' && tables.has(object.name)))
                context.report({ node: property, message: readMessage });
            }
          },
        };
      },
    },
  },
};
