/** Loaded into a process that runs with --expose-gc: on SIGUSR2 it tells the bytes that are alive after a collection. */
process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`alive: ${heapUsed + external}\n`);
});
