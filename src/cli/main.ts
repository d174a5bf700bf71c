#!/usr/bin/env node
import process from 'node:process';
import { unsupportedNode } from '../config/node-version.js';
import { carriedNode, runWith } from '../process/carried-node.js';

const problem = unsupportedNode(process.versions.node);
const carried = problem && carriedNode();
if (carried) {
  process.exitCode = await runWith(carried, process.argv.slice(1));
} else if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  // Named here, because an old Node has no such export.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(`${import.meta.dirname}/../compile-cache`);
  // Decorators write to it when their modules are loaded.
  await import('reflect-metadata');
  const { run } = await import('./run.js');
  process.exitCode = await run(process.argv.slice(2));
}
