/**
 * Milliseconds in which a second signal counts as the first one: a terminal sends Ctrl-C to npm and to us, and npm
 * passes it on to us as well.
 */
const SAME_SIGNAL = 500;

/** Calls `first` at the first SIGTERM or SIGINT, and `again` at each later one that does not count as the first. */
export function onEndSignal(first: () => void, again: () => void): void {
  let at: number | undefined;
  const onSignal = (): void => {
    if (at === undefined) {
      at = performance.now();
      first();
    } else if (performance.now() - at > SAME_SIGNAL) again();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}
