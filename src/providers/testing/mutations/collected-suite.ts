import { describeProvider } from '../describe-provider.js';
import type { ProviderSuite } from '../provider-suite.js';

interface CollectedTest {
  readonly name: string;
  readonly run: () => unknown;
}

type Hook = () => unknown;

/** A contract suite whose tests are run here instead of by the runner, to see which of them a fault makes red. */
export class CollectedSuite {
  readonly #tests: CollectedTest[] = [];
  readonly #before: Hook[] = [];
  readonly #after: Hook[] = [];

  constructor(suite: ProviderSuite) {
    const runner = globalThis as unknown as Record<string, unknown>;
    const names: string[] = [];
    const own = {
      describe: (name: string, define: () => void) => {
        names.push(name);
        define();
        names.pop();
      },
      it: Object.assign((name: string, run: () => unknown) => this.#tests.push({ name: [...names.slice(1), name].join(' '), run }), {
        skip: () => undefined,
      }),
      beforeAll: (hook: Hook) => this.#before.push(hook),
      afterAll: (hook: Hook) => this.#after.push(hook),
    };
    const kept = Object.fromEntries(Object.keys(own).map((name) => [name, runner[name]]));
    Object.assign(runner, own);
    try {
      describeProvider(suite);
    } finally {
      Object.assign(runner, kept);
    }
  }

  /**
   * The names of the tests that match and fail, and how many match.
   * @param patience milliseconds after which a test that has not ended is red: a fault may keep a connection open for
   * ever
   */
  async failing(pattern: RegExp, patience: number): Promise<{ failed: string[]; matching: number }> {
    const chosen = this.#tests.filter(({ name }) => pattern.test(name));
    const failed: string[] = [];
    try {
      for (const hook of this.#before) await hook();
      for (const { name, run } of chosen) if (!(await passes(run, patience))) failed.push(name);
    } catch (error) {
      failed.push(`the start of the suite: ${String(error)}`);
    }
    for (const hook of this.#after) await hook();
    return { failed, matching: chosen.length };
  }
}

async function passes(run: () => unknown, patience: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it has not ended')), patience);
  });
  try {
    await Promise.race([run(), late]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
