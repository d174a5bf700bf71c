/** A test that is skipped says why in parentheses, at the end of its own title or of a title around it. */
const reason = /\(([^()]+)\)$/;

/**
 * Why tests were skipped, and how many for each reason. A test without one is left out: it was not chosen on the
 * command line, or skipped by hand.
 * @param testResults of a run, as a reporter gets them or as `--json` writes them
 */
export function skipReasons(testResults) {
  const tests = testResults.flatMap((file) => file.assertionResults ?? file.testResults);
  const reasons = tests
    .filter(({ status }) => status === 'pending')
    .map(skipReason)
    .filter((text) => text !== undefined);
  return new Map([...new Set(reasons)].map((text) => [text, reasons.filter((other) => other === text).length]));
}

/** @returns undefined where its titles say none */
export function skipReason({ title, ancestorTitles }) {
  return [title, ...ancestorTitles.toReversed()].map((text) => reason.exec(text)?.[1]).find((text) => text !== undefined);
}
