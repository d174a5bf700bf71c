import type { RouteOptions } from 'fastify';

/**
 * The methods of each address. It is used only for a request without a route, to distinguish a wrong method from a
 * wrong address.
 */
export class RouteTable {
  readonly #routes = new Map<string, { pattern?: RegExp; methods: Set<string> }>();

  add({ url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
    let route = this.#routes.get(url);
    if (!route) this.#routes.set(url, (route = { methods: new Set() }));
    for (const name of [method].flat()) route.methods.add(name);
  }

  /** @returns the methods in alphabetical order; none where the address is unknown */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const [url, route] of this.#routes) {
      // They are made when the first such request comes: all of them take 5 ms, which would be a part of every start.
      route.pattern ??= patternOf(url);
      if (route.pattern.test(path)) for (const name of route.methods) methods.add(name);
    }
    return [...methods].sort();
  }

  /** @returns the operations below `prefix`, for example "POST /v1/completions" */
  operations(prefix: string): string[] {
    const operations: string[] = [];
    for (const [url, { methods }] of this.#routes)
      if (url.startsWith(prefix)) for (const method of methods) if (method !== 'HEAD') operations.push(`${method} ${url}`);
    return operations.sort();
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}
