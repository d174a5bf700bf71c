import { unsupportedNode } from './node-version.js';

describe('unsupportedNode', () => {
  it.each(['24.0.0', '24.21.0', '25.1.0-nightly', '100.0.0'])('accepts %s', (version) => expect(unsupportedNode(version)).toBeUndefined());

  it.each(['23.11.1', '20.20.2', '9.0.0'])('refuses %s in one line that names both versions', (version) => {
    expect(unsupportedNode(version)).toMatch(/^.*Node 24.*$/);
    expect(unsupportedNode(version)).toContain(version);
  });
});
