import { unsupportedNode } from './config/node-version.js';

/** The file in `chunks` that bundle.mjs makes of gateway-program.ts. */
declare const GATEWAY: string;

const complaint = unsupportedNode(process.versions.node);
if (complaint) {
  console.error(complaint);
  process.exitCode = 1;
} else {
  const [{ loadProgram }, { setEngineFlags }] = await Promise.all([
    import('./process/load-program.js'),
    import('./process/engine-flags.js'),
  ]);
  const file = new URL(`./chunks/${GATEWAY}`, import.meta.url);
  const gateway = loadProgram<typeof import('./process/gateway-program.js')>(file, `${import.meta.dirname}/compile-cache`);
  if (await gateway.exports.start()) {
    // V8 takes code only with the flags that it was made with: first this, then they change.
    gateway.keepCode();
    setEngineFlags();
  }
}
