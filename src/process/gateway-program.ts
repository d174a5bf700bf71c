// Before all decorators.
import 'reflect-metadata';
import * as providerKit from '../providers/provider-kit.js';

export { start } from './start.js';

/** What modules from outside get as `switchyard/provider`, so that they share it with the gateway that runs them: see bundle.mjs. */
Object.assign(globalThis, { [Symbol.for('switchyard/provider')]: providerKit });
