/**
 * Counts turns of the event loop from now on.
 * @returns what ends that, and tells how many there were
 */
export function countTurns(): () => number {
  let [turns, counting] = [0, true];
  const count = (): void => {
    turns++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  return () => {
    counting = false;
    return turns;
  };
}
