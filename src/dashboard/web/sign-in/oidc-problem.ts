const problems: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was cancelled, or you were refused there.',
  expired: 'The sign-in took too long, or was begun in another browser. Try again.',
  not_verified: 'Your e-mail address is not verified there. Verify it, then try again.',
  not_invited: 'Nobody has invited this e-mail address. Ask an owner of the account for an invitation.',
};

/** @param code with which the gateway sends a browser back that a provider of identities has not signed in */
export const oidcProblem = (code: string): string =>
  problems[code] ?? 'The sign-in did not work. Try again, or ask whoever operates this gateway.';
