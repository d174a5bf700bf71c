/** npm passes on a Ctrl-C that the terminal has also sent to us: milliseconds in which a second signal is the same one. */
const SAME_SIGNAL = 500;

/** Calls back at the first SIGTERM or SIGINT, and again at one that is not the same. */
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
