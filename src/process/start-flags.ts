/** What Node has to be given before the program, because V8 reads it when it creates its heap (v8-settings.ts). */
export const startFlags: readonly string[] = ['--max-semi-space-size=16'];
