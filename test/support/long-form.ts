/**
 * Whether the specs in test/long repeat what they try as often as before a release, and not only as often as for every
 * change.
 */
export const longForm = process.env['SWITCHYARD_LONG_FORM'] === '1';
