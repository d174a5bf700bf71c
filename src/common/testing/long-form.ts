/**
 * Whether specs try what they try as often as before a release, and not only as often as for every change:
 * SWITCHYARD_LONG_FORM=1.
 */
export const longForm = process.env['SWITCHYARD_LONG_FORM'] === '1';

/** How often a property is tried that is tried so often before a release. Other values are tried in each run. */
export const samples = (all: number): number => (longForm ? all : Math.ceil(all / 4));
