import { unsupportedNode } from './config/node-version.js';

const complaint = unsupportedNode(process.versions.node);
if (complaint) {
  console.error(complaint);
  process.exitCode = 1;
} else {
  const { enableCompileCache } = await import('node:module');
  // What V8 made of the program at the last start; where it cannot be written, it is made anew.
  enableCompileCache(`${import.meta.dirname}/compile-cache`);
  // Before all decorators, in whatever order the bundle's chunks are.
  await import('reflect-metadata');
  const { start } = await import('./app.start.js');
  await start();
}
