/** Answers that are remembered; clients make up names of their own, and come from any address. */
const MOST = 2_000;

/**
 * @param test depends on its text alone
 * @returns the same test, which looks only once at each of the texts that it is asked about lately
 */
export function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const answers = new Map<string, boolean>();
  return (text) => {
    let answer = answers.get(text);
    if (answer === undefined) {
      answer = test(text);
      if (answers.size >= MOST) answers.clear();
      answers.set(text, answer);
    }
    return answer;
  };
}
