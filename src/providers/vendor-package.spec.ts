import { vendorPackage } from './vendor-package.js';

describe('vendorPackage', () => {
  const absent = '@acme/signer';

  it('gives the package', async () => {
    const path = await vendorPackage(['path'], () => import('node:path'));
    expect(path.join('a', 'b')).toBe('a/b');
  });

  it('says what has to be installed', async () => {
    const loaded = vendorPackage([absent, '@acme/frames'], () => import(absent));
    await expect(loaded).rejects.toThrow('it needs packages that are not installed: npm install @acme/signer @acme/frames');
  });

  it('leaves other errors of the package as they are', async () => {
    const broken = new Error('this machine has no such processor');
    await expect(vendorPackage([absent], () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
