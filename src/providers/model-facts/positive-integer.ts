/** A count or a limit as a list of models gives it. @returns undefined for anything but a safe integer above 0 */
export function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
