#!/usr/bin/env node
import process from 'node:process';
import { enableCompileCache } from 'node:module';
import { unsupportedNode } from '../config/node-version.js';

const problem = unsupportedNode(process.versions.node);
if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  enableCompileCache(`${import.meta.dirname}/../compile-cache`);
  // Decorators write to it when their modules are loaded.
  await import('reflect-metadata');
  const { run } = await import('./run.js');
  process.exitCode = await run(process.argv.slice(2));
}
