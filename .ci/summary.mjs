/**
 * summary.mjs FAILED_STEPS RESULTS...: the end of .ci/run, from the number of steps that failed and from what Jest
 * wrote of each run: which tests failed, and one line of counts. It fails when anything did and, with CI set, when a
 * test was skipped that says no reason.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { skipReason } from '../test/support/skip-reasons.mjs';

/** How many failed tests are named, so that the last lines of a log hold them. */
const MAX_NAMED = 20;
/** How much is said of each. */
const MAX_LINES = 6;

const [failedSteps, ...files] = process.argv.slice(2);
const runs = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (count) => runs.reduce((total, run) => total + count(run), 0);

const specs = runs.flatMap(({ testResults }) => testResults);
const tests = specs.flatMap(({ assertionResults }) => assertionResults);
const skipped = tests.filter(({ status }) => status === 'pending' || status === 'todo');
const unexpected = skipped.filter((test) => skipReason(test) === undefined);
const named = specs.flatMap((spec) => failuresOf(spec));
// A run can fail though none of its tests did.
const failed = sum((run) => Math.max(run.numFailedTests + run.numRuntimeErrorTestSuites, run.success ? 0 : 1)) + Number(failedSteps);

for (const { fullName } of unexpected) console.log(`skipped without a reason: ${fullName}`);
for (const text of named.slice(0, MAX_NAMED)) console.log(text);
if (named.length > MAX_NAMED) console.log(`and ${named.length - MAX_NAMED} more`);
console.log(`${sum((run) => run.numPassedTests)} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed > 0 || (process.env.CI && unexpected.length > 0) ? 1 : 0;

/** Each failed test of a spec file, or the file itself where it did not load, with the beginning of its message. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative('', name);
  const failures = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failures.length === 0) return [`FAILED ${file}\n${beginning(message)}`];
  return failures.map(({ fullName, failureMessages }) => `FAILED ${file}: ${fullName}\n${beginning(failureMessages.join('\n'))}`);
}

/** Its first lines, as far as they go on a screen, without where it was thrown. */
function beginning(message) {
  const lines = stripVTControlCharacters(message).split('\n');
  const said = lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return said
    .slice(0, MAX_LINES)
    .map((line) => `    ${line.slice(0, 200)}`)
    .join('\n');
}
