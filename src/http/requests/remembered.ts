/**
 * @param test depends on its text alone
 * @param most answers that are remembered: clients come from any address
 * @returns the same test, which looks only once at each of the texts that it is asked about lately
 */
export function remembered(test: (text: string) => boolean, most: number): (text: string) => boolean {
  const answers = new Map<string, boolean>();
  return (text) => {
    let answer = answers.get(text);
    if (answer === undefined) {
      answer = test(text);
      if (answers.size >= most) answers.clear();
      answers.set(text, answer);
    }
    return answer;
  };
}
