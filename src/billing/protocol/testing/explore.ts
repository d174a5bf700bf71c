/** A finite machine: where it starts, what can happen next, and what must always hold. */
export interface Machine<S> {
  readonly initial: S;
  /** Every step that is possible, each with a state of its own. */
  readonly next: (state: S) => Iterable<{ readonly step: string; readonly state: S }>;
  /** The law that the state breaks, if it breaks one. */
  readonly broken: (state: S) => string | undefined;
  /** Equal for equal states. */
  readonly key: (state: S) => string;
}

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** The shortest way to a broken law. */
  readonly counterexample?: { readonly law: string; readonly trace: readonly string[] };
}

/** Visits every reachable state, nearest first, until a law is broken. */
export function explore<S>(machine: Machine<S>, maxStates = 5_000_000): Exploration {
  const seen = new Map<string, { from: string; step: string }>();
  const traceTo = (key: string): string[] => {
    const trace: string[] = [];
    for (let at = key; ;) {
      const { from, step } = seen.get(at)!;
      if (from === '') return trace.reverse();
      trace.push(step);
      at = from;
    }
  };
  let transitions = 0;
  let frontier: [string, S][] = [[machine.key(machine.initial), machine.initial]];
  seen.set(frontier[0]![0], { from: '', step: '' });
  while (frontier.length > 0) {
    const following: [string, S][] = [];
    for (const [from, state] of frontier) {
      const law = machine.broken(state);
      if (law) return { states: seen.size, transitions, counterexample: { law, trace: traceTo(from) } };
      for (const { step, state: reached } of machine.next(state)) {
        transitions++;
        const key = machine.key(reached);
        if (seen.has(key)) continue;
        if (seen.size >= maxStates) throw new Error(`more than ${maxStates} states`);
        seen.set(key, { from, step });
        following.push([key, reached]);
      }
    }
    frontier = following;
  }
  return { states: seen.size, transitions };
}
