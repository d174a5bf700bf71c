/**
 * What is wrong with a list or one of its elements, beginning with the path; undefined where nothing is.
 * @param most elements that it may have
 * @param problemOf what is wrong with an element, to be put behind its path
 */
export function listProblem(
  list: readonly unknown[],
  path: string,
  most: number,
  problemOf: (element: unknown, index: number) => string | undefined,
): string | undefined {
  if (list.length > most) return `${path} must have at most ${most} elements`;
  for (let index = 0; index < list.length; index++) {
    const problem = problemOf(list[index], index);
    if (problem) return `${path}[${index}]${problem}`;
  }
  return undefined;
}
