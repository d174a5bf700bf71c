const OLDEST_NODE = 24;

/**
 * What to tell an operator whose Node is too old, in one line. This file and the two main.ts import nothing that an old
 * Node cannot load.
 * @param version as process.versions.node has it
 */
export function unsupportedNode(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined;
  return `Switchyard needs Node ${OLDEST_NODE} or newer and runs on ${version}: use npm start or npx switchyard, which bring their own, or install Node ${OLDEST_NODE}.`;
}
