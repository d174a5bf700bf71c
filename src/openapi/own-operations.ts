import type { OpenAPIObject } from '@nestjs/swagger';

interface Operation {
  operationId: string;
  parameters?: { readonly in: string; name: string }[];
}

/**
 * Makes an operation of its own for each address of a handler that has several: with the parameters of this address,
 * and below an account by another name.
 */
export function ownOperations(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item as Record<string, Operation>).map((operation) => ({ path, operation })),
  );
  const together = Map.groupBy(all, ({ operation }) => operation.operationId).values();
  for (const { path, operation } of [...together].filter(({ length }) => length > 1).flat()) {
    const { operationId: id, parameters = [] } = operation;
    operation.parameters = parameters.filter((one) => one.in !== 'path' || path.includes(`{${one.name}}`));
    if (path.includes('{account}')) operation.operationId = `account${id[0]!.toUpperCase()}${id.slice(1)}`;
  }
  return paths;
}

/** Calls the rest of an address an id, where the handler takes it as `*`; @nestjs/swagger calls it a path. */
export function idsOfRests(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  const renamed = Object.entries(paths).map(([path, item]) => {
    const parameters = Object.values(item as Record<string, Operation>).flatMap((operation) => operation.parameters ?? []);
    const rests = parameters.filter(({ name }) => name === '*');
    for (const rest of rests) rest.name = 'id';
    return [rests.length > 0 ? path.replace(/\{path\}$/, '{id}') : path, item] as const;
  });
  return Object.fromEntries(renamed);
}
