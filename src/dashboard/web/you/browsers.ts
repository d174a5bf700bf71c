/** Names that browsers have in what they call themselves, the more particular ones first. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const systems = [
  [/\biPhone|\biPad/, 'iOS'],
  [/\bAndroid/, 'Android'],
  [/\bWindows/, 'Windows'],
  [/\bMac OS X|\bMacintosh/, 'macOS'],
  [/\bCrOS/, 'ChromeOS'],
  [/\bLinux/, 'Linux'],
] as const;

const found = (names: readonly (readonly [RegExp, string])[], text: string) => names.find(([pattern]) => pattern.test(text))?.[1];

/** @param userAgent what a browser calls itself, such as "Mozilla/5.0 (X11; Linux …" */
export function browserName(userAgent: string): string {
  const [browser, system] = [found(browsers, userAgent), found(systems, userAgent)];
  if (browser === undefined) return userAgent === '' ? 'An unnamed browser' : userAgent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

export const isPhone = (userAgent: string): boolean => /\bMobile\b|\biPhone|\bAndroid/.test(userAgent);

const ways: Readonly<Record<string, string>> = {
  password: 'By password',
  link: 'By a link',
  invitation: 'By an invitation',
  oidc: 'By another provider',
};

/** How a session was opened. */
export const openedInWords = (openedBy: string): string => ways[openedBy] ?? 'Signed in';
