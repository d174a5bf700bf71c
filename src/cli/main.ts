#!/usr/bin/env node
import process from 'node:process';

/** Imports nothing before the version is known: an older Node would fail on it with a stack instead of a sentence. */
const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(`switchyard: Node ${OLDEST_NODE} or newer is needed, this is ${process.version}`);
  process.exitCode = 1;
} else {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(`${import.meta.dirname}/../compile-cache`);
  await import('reflect-metadata');
  const { run } = await import('./run.js');
  process.exitCode = await run(process.argv.slice(2));
}
