const OLDEST_NODE = 24;

/**
 * What to tell someone whose Node is too old, in one line. This file and the two main.ts import nothing that an old Node could stumble over.
 * @param version as process.versions.node
 */
export function unsupportedNode(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined;
  return `Switchyard needs Node ${OLDEST_NODE} or newer and runs on ${version}: use npm start or npx switchyard, which bring their own, or install Node ${OLDEST_NODE}.`;
}
