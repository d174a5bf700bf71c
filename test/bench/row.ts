/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: 'x' | 'ms' | 's' | 'MiB' | 'KiB' | '%' | '';
  /** Where absent, the row tells and promises nothing. */
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
  readonly detail: string;
}

/** Undefined where nothing is promised. */
export function isMet({ value, target }: Row): boolean | undefined {
  if (!target) return undefined;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export function lineOf(row: Row): string {
  const { name, value, unit, target, detail } = row;
  const goal = !target ? '' : 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
  const met = isMet(row);
  const verdict = met === undefined ? '' : met ? 'met' : 'MISSED';
  return `${name.padEnd(54)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(4)} ${goal.padEnd(7)} ${verdict.padEnd(7)} ${detail}`;
}
