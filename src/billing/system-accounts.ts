/** Where grants come from; its balance is what was ever granted, negated. */
export const GRANTS = 'system:grants';

/** Where charges go. */
export const REVENUE = 'system:revenue';
