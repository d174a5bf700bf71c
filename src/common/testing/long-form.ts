/**
 * Whether specs try what they try as often as before a release, and not only as often as for every change:
 * SWITCHYARD_LONG_FORM=1.
 */
export const longForm = process.env['SWITCHYARD_LONG_FORM'] === '1';
