import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import './typescript.mjs';

const require = createRequire(import.meta.url);
const nothing = () => undefined;

/**
 * What Jest loads spec files with: Node's own imports, in the worker's own context. A worker so loads the program once,
 * and not once for each spec file. native-environment.mjs fails the test that leaves something behind for others.
 */
class NativeRuntime {
  unstable_shouldLoadAsEsm = () => true;
  requireModule = (path) => require(path);
  setGlobalsForRuntime = nothing;
  getSourceMaps = () => new Map();
  enterTestCode = nothing;
  leaveTestCode = nothing;
  resetModules = nothing;
  clearAllMocks = nothing;
  resetAllMocks = nothing;
  restoreAllMocks = nothing;
  getAllCoverageInfoCopy = nothing;
  getAllV8CoverageInfoCopy = () => [];
  teardown = nothing;

  /** A setup file, of which each spec file runs what it exports by default, or a spec file. */
  async unstable_importModule(path) {
    const { default: setUp } = await import(pathToFileURL(path).href);
    await setUp?.();
  }

  /** Circus keeps the tests of a spec file in its own module: each file gets a new one. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete require.cache[path];
    return require(path);
  }
}

// Jest asks for it by `require`.
export { NativeRuntime as 'module.exports' };
