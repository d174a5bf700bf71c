/** The fenced blocks of a page in one language, in order. */
export function blocksOf(page: string, language: string): string[] {
  return Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')), ([, text]) => text!);
}
