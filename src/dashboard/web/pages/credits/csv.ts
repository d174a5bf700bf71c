/** Saves rows as a file that spreadsheets read. What they would take for a formula has an apostrophe before it. */
export function saveCsv(name: string, rows: readonly (readonly (string | number | undefined)[])[]): void {
  const text = rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

function cellOf(value: string | number | undefined): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
