import { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../common/testing/started.js';
import { type Identity, prepareDataFolder } from './data-folder.js';

const me = process.getuid?.() ?? 0;
const myGroup = process.getgid?.() ?? 0;
/** Somebody to whom the files of this spec belong, and who is not root. */
const user: Identity = { uid: 4711, gids: [4711] };
const asRoot = me === 0 ? it : it.skip;

describe('The folder of the store', () => {
  const parent = emptyFolder();
  const folder = join(parent, 'data');

  const mode = (path: string): number => statSync(path).mode & 0o7777;
  const make = (path: string, bits: number, owner = me, group = myGroup): void => {
    if (path === folder || path.endsWith('/journal')) mkdirSync(path);
    else writeFileSync(path, '');
    if (owner !== me || group !== myGroup) chownSync(path, owner, group);
    chmodSync(path, bits);
  };
  const prepared = (identity?: Identity) => () => prepareDataFolder(folder, false, identity);

  it('is made for its owner alone', () => {
    prepareDataFolder(join(folder, 'deep'));
    expect(mode(join(folder, 'deep'))).toBe(0o700);
  });

  it.each([0o700, 0o750, 0o755])('may have the mode %#o', (bits) => {
    make(folder, bits);
    expect(prepared()).not.toThrow();
    expect(mode(folder)).toBe(bits);
  });

  it.each([0o777, 0o1777, 0o702, 0o707])('is refused with the mode %#o, in one line that says what to do', (bits) => {
    make(folder, bits);
    expect(prepared()).toThrow(
      /^\/\S+\/data is not safe: every user of this machine can write to it\. Run chmod 700 \/\S+\/data, or set store\.shared_data_dir\.$/,
    );
    expect(() => prepareDataFolder(folder, true)).not.toThrow();
  });

  asRoot('is refused where a group can write to it that it was not given to', () => {
    make(folder, 0o770, 4711, 4711);
    expect(prepared(user)).toThrow('the group 4711 can write to it');
    expect(prepared({ uid: 4712, gids: [4712] })).toThrow('belongs to the user 4711');
  });

  asRoot.each([
    ['a volume of Kubernetes, with fsGroup', 0o2770, 0, 2000, { uid: 4711, gids: [4711, 2000] }],
    ['the same of a user that changes', 0o2770, 4712, 2000, { uid: 4711, gids: [4711, 2000] }],
    ['the same to root', 0o2770, 0, 2000, { uid: 0, gids: [0, 2000] }],
    ['a folder of the machine to root in a container', 0o775, 4711, 4711, { uid: 0, gids: [0] }],
    ['root’s, to a user of root’s group', 0o775, 0, 0, { uid: 4711, gids: [0] }],
  ])('may be %s', (_, bits, owner, group, identity) => {
    make(folder, bits, owner, group);
    // Kubernetes gives the group the files too.
    make(join(folder, 'pepper'), 0o660, owner === 0 ? identity.uid : owner, group);
    expect(prepared(identity)).not.toThrow();
  });

  it('may be a link', () => {
    make(folder, 0o700);
    const link = join(parent, 'link');
    symlinkSync(folder, link);
    expect(() => prepareDataFolder(link)).not.toThrow();
    chmodSync(folder, 0o777);
    expect(() => prepareDataFolder(link)).toThrow('is not safe');
  });

  it('that cannot be one is an error', () => {
    writeFileSync(folder, '');
    expect(prepared()).toThrow('ENOTDIR');
  });

  describe.each(['pepper', 'switchyard.db', 'switchyard.db-wal', 'gateway.lock', 'journal/a.journal'])('has a file %s that', (name) => {
    const file = join(folder, name);
    beforeEach(() => {
      make(folder, 0o755);
      make(join(folder, 'journal'), 0o700);
    });

    it('nobody else reads', () => {
      make(file, 0o644);
      prepareDataFolder(folder);
      expect(mode(file)).toBe(0o640);
    });

    it('nobody else writes', () => {
      make(file, 0o666);
      expect(prepared()).toThrow(`${name} is not safe: every user of this machine can write to it. Run chmod 600`);
    });

    asRoot('nobody else has made', () => {
      chownSync(folder, user.uid, 4711);
      chownSync(join(folder, 'journal'), user.uid, 4711);
      make(file, 0o600, 4712, 4712);
      expect(prepared(user)).toThrow(`${name} is not safe: it belongs to the user 4712`);
    });

    asRoot('is no link that somebody else has made', () => {
      chownSync(folder, user.uid, 4711);
      chownSync(join(folder, 'journal'), user.uid, 4711);
      make(join(parent, 'target'), 0o600, user.uid, 4711);
      symlinkSync(join(parent, 'target'), file);
      lchownSync(file, 4712, 4712);
      expect(prepared(user)).toThrow('it belongs to the user 4712');
    });
  });
});
