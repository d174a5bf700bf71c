/**
 * What the specs of a module outside the gateway import as `@switchyard-gateway/switchyard/provider/testing`. Runs
 * where `describe`, `it` and `expect` are global.
 */
import 'reflect-metadata';
export { type TestCall, testCall } from './call.js';
export { type CollectedAnswer, collect, type CollectedChoice, readAll } from './collect.js';
export { describeProvider } from './describe-provider.js';
export { type Accepts, LoopbackUpstream, type RecordedRequest, type Reply } from './loopback-upstream.js';
export { takenBySchema } from './taken-by-schema.js';
export { suiteEntry } from './suite-entry.js';
export type { EmbeddingsFixture, ProviderFailure, ProviderFixture, ProviderSuite, SuiteEntry } from './provider-suite.js';
