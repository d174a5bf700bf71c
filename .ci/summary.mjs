/**
 * summary.mjs FAILED_STEPS RESULTS...: the last line of .ci/run, from the number of steps that failed and from what Jest
 * counted in each run. It fails when anything did and, with CI set, when a test was skipped that says no reason.
 */
import { existsSync, readFileSync } from 'node:fs';
import { skipReason } from '../test/support/skip-reasons.mjs';

const [failedSteps, ...files] = process.argv.slice(2);
const runs = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (count) => runs.reduce((total, run) => total + count(run), 0);

const tests = runs.flatMap(({ testResults }) => testResults).flatMap(({ assertionResults }) => assertionResults);
const skipped = tests.filter(({ status }) => status === 'pending' || status === 'todo');
const unexpected = skipped.filter((test) => skipReason(test) === undefined);
// A run can fail though none of its tests did.
const failed = sum((run) => Math.max(run.numFailedTests + run.numRuntimeErrorTestSuites, run.success ? 0 : 1)) + Number(failedSteps);

for (const { fullName } of unexpected) console.log(`skipped without a reason: ${fullName}`);
console.log(`${sum((run) => run.numPassedTests)} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed > 0 || (process.env.CI && unexpected.length > 0) ? 1 : 0;
