/** Milliseconds that a spec may sleep without a reason, as between two looks at what it waits for. */
const SHORT = 100;

const message = `A spec moves a ManualClock, or waits for an event. Where neither will do, say why in a comment on this line.`;

/** @returns a number, or undefined where it cannot be told from this file alone */
function valueOf(node, constants) {
  if (node?.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined;
  if (node?.type === 'Identifier') return valueOf(constants.get(node.name), constants);
  if (node?.type !== 'BinaryExpression' || node.operator !== '*') return undefined;
  const [left, right] = [valueOf(node.left, constants), valueOf(node.right, constants)];
  return left === undefined || right === undefined ? undefined : left * right;
}

/** A plugin of oxlint: `specs/no-sleeps` refuses specs that wait for time to pass. */
export default {
  meta: { name: 'specs' },
  rules: {
    'no-sleeps': {
      create(context) {
        /** What sleeps, by its name, and which of its arguments says how long. */
        const sleeps = new Map([['setTimeout', 1]]);
        const constants = new Map();
        const calls = [];
        return {
          ImportDeclaration({ source, specifiers }) {
            if (source.value !== 'node:timers/promises') return;
            for (const { imported, local } of specifiers) if (imported?.name === 'setTimeout') sleeps.set(local.name, 0);
          },
          VariableDeclarator({ id, init, parent }) {
            if (parent.kind === 'const' && id.type === 'Identifier') constants.set(id.name, init);
          },
          CallExpression(node) {
            if (node.callee.type === 'Identifier') calls.push(node);
          },
          'Program:exit'() {
            const explained = new Set(context.sourceCode.getAllComments().map(({ loc }) => loc.start.line));
            for (const { callee, arguments: given } of calls) {
              const time = given[sleeps.get(callee.name)];
              if (!time || valueOf(time, constants) <= SHORT || explained.has(time.loc.start.line)) continue;
              context.report({ node: time, message });
            }
          },
        };
      },
    },
  },
};
