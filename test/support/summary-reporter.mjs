import { relative } from 'node:path';
import { skipReasons } from './skip-reasons.mjs';

/** How many spec files are named at the end, so that growth is seen. */
const SLOWEST = 10;

/**
 * Prints what fails in full, as it comes, and at the end why tests were skipped and one line of counts. On a terminal
 * it shows meanwhile how many spec files have ended. Everything goes to standard error, as from Jest's own reporters.
 */
export default class SummaryReporter {
  onTestFileResult(_test, { testFilePath, failureMessage, console: printed }, run) {
    this.#progress('');
    if (failureMessage) print(`FAIL ${relative(process.cwd(), testFilePath)}\n${failureMessage}`);
    for (const { type, message, origin } of printed ?? []) print(`console.${type}: ${message}\n${origin}`);
    const ended = run.numPassedTestSuites + run.numFailedTestSuites + run.numPendingTestSuites;
    this.#progress(`${ended} of ${run.numTotalTestSuites} spec files`);
  }

  onRunComplete(_contexts, run) {
    this.#progress('');
    for (const [reason, skipped] of skipReasons(run.testResults)) print(`${skipped} skipped: ${reason}`);
    const tests = [run.numPassedTests, run.numFailedTests, run.numPendingTests + run.numTodoTests];
    const files = [run.numPassedTestSuites, run.numFailedTestSuites, run.numPendingTestSuites];
    const seconds = Math.round((Date.now() - run.startTime) / 1000);
    for (const line of slowest(run.testResults)) print(line);
    print(`Tests: ${counts(tests)}. Spec files: ${counts(files)}. ${seconds} s.`);
  }

  #progress(text) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  }
}

/** A run of a few files says nothing of them. */
function slowest(files) {
  if (files.length <= SLOWEST) return [];
  const bySeconds = files.map(({ testFilePath, perfStats }) => [perfStats.runtime / 1000, relative(process.cwd(), testFilePath)]);
  const rows = bySeconds.toSorted(([a], [b]) => b - a).slice(0, SLOWEST);
  return ['Slowest spec files, in seconds:', ...rows.map(([seconds, file]) => `${seconds.toFixed(1).padStart(7)} ${file}`)];
}

function counts([passed, failed, skipped]) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function print(text) {
  process.stderr.write(`${text.trimEnd()}\n`);
}
