const DAY = 86_400_000;

/** When what is made may end: days, or never. */
export const lifetimes = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The end of a chosen lifetime, as the administration API takes it. */
export const endIn = (lifetime: string): { expires_at?: string } =>
  lifetime === '' ? {} : { expires_at: new Date(Date.now() + Number(lifetime) * DAY).toISOString() };
