import { unsupportedNode } from './config/node-version.js';

const unsupported = unsupportedNode(process.versions.node);
if (unsupported) {
  console.error(unsupported);
  process.exitCode = 1;
} else {
  const { enableCompileCache } = await import('node:module');
  // Takes a fifth off a start, and is left out where the folder cannot be written.
  enableCompileCache(`${import.meta.dirname}/compile-cache`);
  const { resolveImportsWithin } = await import('./process/own-imports.js');
  const leaveImportsToNode = resolveImportsWithin(new URL('.', import.meta.url));
  const { keepTickClass } = await import('./process/v8-settings.js');
  keepTickClass();
  // Decorators write to it when their modules are loaded.
  await import('reflect-metadata');
  const { start } = await import('./process/start.js');
  await start();
  leaveImportsToNode();
}
