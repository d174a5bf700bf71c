import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

interface State<Props> {
  readonly Loaded?: ComponentType<Props>;
  readonly error?: Error;
}

/**
 * A component whose code is loaded when it is shown for the first time. It is shown as soon as the code is there:
 * React's own `lazy` waits until 300 ms have passed since the fallback was shown.
 * @param fallback in its place until then
 */
export function later<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  let known: State<Props> = {};
  return function Later(props: Props) {
    const [{ Loaded, error }, set] = useState(known);
    useEffect(() => {
      if (known.Loaded) return set(known);
      load().then(
        (loaded) => set((known = { Loaded: loaded.default })),
        (failure: Error) => set({ error: failure }),
      );
    }, []);
    if (error) throw error;
    return Loaded ? <Loaded {...props} /> : fallback;
  };
}
