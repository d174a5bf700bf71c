/** provider_failed -> Provider failed */
export function sentence(name: string): string {
  const text = name.replaceAll('_', ' ');
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}
