/** Restores the variables of the process after each test, in `process.env` itself: child processes inherit it. */
export function keepEnvironment(): void {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
    Object.assign(process.env, before);
  });
}
