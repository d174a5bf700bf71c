import { unsupportedNode } from './config/node-version.js';

const unsupported = unsupportedNode(process.versions.node);
if (unsupported) {
  console.error(unsupported);
  process.exitCode = 1;
} else {
  // Decorators write to it when their modules are loaded.
  await import('reflect-metadata');
  const { start } = await import('./process/start.js');
  await start();
}
