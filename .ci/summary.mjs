/**
 * The last line of .ci/run, from what Jest counted and from the number of other steps that failed. Fails when anything did and, in CI, when a test
 * was skipped that nobody expected to be.
 */
import { readFileSync } from 'node:fs';

/** Compared with material that is not part of the repository; the environment says where it lies. */
const withoutMaterial = /\/(openapi-schemas\.e2e-spec|recordings\.(e2e-)?spec)\.ts$/;
/** The contract suite's skips say why in parentheses. */
const withReason = /\([^)]+\)$/;

const [file, failedSteps] = process.argv.slice(2);
const run = read(file);
const tests = run.testResults.flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: name })));
const skipped = tests.filter(({ status }) => status === 'pending' || status === 'todo');
const unexpected = skipped.filter(({ file: spec, title }) => !withoutMaterial.test(spec) && !withReason.test(title));
const failed = run.numFailedTests + run.numRuntimeErrorTestSuites + Number(failedSteps);

for (const { fullName } of unexpected) console.log(`skipped without a reason: ${fullName}`);
console.log(`${run.numPassedTests} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed > 0 || (process.env.CI && unexpected.length > 0) ? 1 : 0;

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { testResults: [], numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
  }
}
