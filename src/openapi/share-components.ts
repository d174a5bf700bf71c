import type { OpenAPIObject } from '@nestjs/swagger';

type Answer = Record<string, unknown>;
type Operation = { responses: Record<string, Answer> };

/** Moves the answers that several operations have into the components. */
export function shareAnswers(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path as Record<string, Operation>));
  const uses = new Map<string, number>();
  for (const { responses } of operations)
    for (const [status, answer] of Object.entries(responses)) {
      const key = keyOf(status, answer);
      uses.set(key, (uses.get(key) ?? 0) + 1);
    }
  const shared: Record<string, Answer> = {};
  const names = new Map<string, string>();
  for (const { responses } of operations)
    for (const [status, answer] of Object.entries(responses)) {
      const key = keyOf(status, answer);
      if (Number(status) < 400 || uses.get(key)! < 2) continue;
      let name = names.get(key);
      if (name === undefined) {
        const others = [...names.values()].filter((other) => other.startsWith(`Error${status}`)).length;
        names.set(key, (name = `Error${status}${others === 0 ? '' : `_${others + 1}`}`));
        shared[name] = answer;
      }
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  return { ...document, components: { ...document.components, responses: shared as never } };
}

function keyOf(status: string, answer: Answer): string {
  return `${status} ${JSON.stringify(answer)}`;
}

/** Leaves out the components that nothing refers to. */
export function onlyUsed(document: OpenAPIObject): OpenAPIObject {
  const components = (document.components ?? {}) as Record<string, Record<string, unknown>>;
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, kind, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      visit(components[kind!]?.[name!] ?? {});
    }
    for (const [, name] of JSON.stringify(value).matchAll(/"security":\[\{"(\w+)"/g)) used.add(`securitySchemes/${name}`);
  };
  visit(document.paths);
  const kept = Object.entries(components).map(([kind, all]) => {
    const entries = Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`));
    return [kind, Object.fromEntries(kind === 'schemas' ? entries.sort(([one], [other]) => (one < other ? -1 : 1)) : entries)];
  });
  return { ...document, components: Object.fromEntries(kept) as OpenAPIObject['components'] };
}
