import crypto from 'node:crypto';

/**
 * What to tell an operator whose Node is too old, in one line. This file and the two main.ts import nothing that an old
 * Node cannot load.
 * @param version as process.versions.node has it
 * @param supported whether it has the latest of what the gateway needs: Node 24.16 and 26.1 brought it
 */
export function unsupportedNode(version: string, supported = 'randomUUIDv7' in crypto): string | undefined {
  if (supported) return undefined;
  return `Switchyard needs Node 24.16 or newer and runs on ${version}: install Node 26, or on Linux install the gateway with its optional dependencies, which bring it.`;
}
