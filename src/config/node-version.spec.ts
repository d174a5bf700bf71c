import { unsupportedNode } from './node-version.js';

describe('unsupportedNode', () => {
  it('accepts the Node that runs', () => expect(unsupportedNode(process.versions.node)).toBeUndefined());

  it.each(['24.15.0', '23.11.1', '9.0.0'])('refuses %s in one line that names both versions', (version) => {
    expect(unsupportedNode(version, false)).toMatch(/^.*Node 24\.16.*$/);
    expect(unsupportedNode(version, false)).toContain(version);
  });
});
