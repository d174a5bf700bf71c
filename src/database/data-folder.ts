import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from './store-error.js';

/** Whose process this is: ids of the user and of the groups, as the operating system has them. */
export interface Identity {
  readonly uid: number;
  readonly gids: readonly number[];
}

/** What the gateway keeps in its folder. A pepper that somebody else has written would let them make keys. */
const ours = /^(pepper|switchyard\.db(-wal|-shm|-journal)?|gateway\.lock|journal)$/;

/**
 * Makes the folder of the store, or looks whether nobody else can write to the one that is there, and takes from others
 * what they may read of its files.
 * @param shared the operator has said that others may write to it
 * @throws StoreError unusable
 */
export function prepareDataFolder(folder: string, shared = false, identity = ownIdentity()): void {
  if (!existsSync(folder)) {
    makeFolder(folder);
    // The process's umask would take from the mode that mkdir is given.
    chmodSync(folder, 0o700);
  }
  if (shared || !identity) return;
  const who = { ...identity, sharedGroup: sharedGroup(statSync(folder), identity) };
  requireSafe(folder, who);
  const journal = join(folder, 'journal');
  for (const name of readdirSync(folder)) if (ours.test(name)) requireSafe(join(folder, name), who);
  if (existsSync(journal)) for (const name of readdirSync(journal)) requireSafe(join(journal, name), who);
}

/** With the group that may write beside the owner. */
interface Trust extends Identity {
  readonly sharedGroup: number | undefined;
}

/**
 * A folder of somebody else that this process uses as a member of its group is meant to be: so does Kubernetes give
 * volumes to containers (`fsGroup`). Root in a container also uses folders of the machine's users.
 */
function sharedGroup({ uid: owner, gid }: Stats, { uid, gids }: Identity): number | undefined {
  const member = gids.includes(gid);
  const meant = uid === 0 ? member || owner !== 0 : member && owner !== uid;
  return meant ? gid : undefined;
}

function requireSafe(path: string, who: Trust): void {
  try {
    // A link that somebody else has made leads wherever they like.
    requireTrusted(path, lstatSync(path), who);
    const stats = statSync(path);
    requireTrusted(path, stats, who);
    if (stats.mode & 0o002) refuse(path, stats, 'every user of this machine can write to it');
    if (stats.mode & 0o020 && stats.gid !== who.sharedGroup) refuse(path, stats, `the group ${stats.gid} can write to it`);
    if (stats.isDirectory() || !(stats.mode & 0o004)) return;
    chmodSync(path, stats.mode & 0o770);
  } catch (error) {
    // Another process has just removed it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function requireTrusted(path: string, stats: Stats, { uid, sharedGroup: group }: Trust): void {
  if (uid !== 0 && stats.uid !== uid && stats.uid !== 0 && stats.gid !== group) refuse(path, stats, `it belongs to the user ${stats.uid}`);
}

function refuse(path: string, stats: Stats, why: string): never {
  const mode = stats.isDirectory() ? '700' : '600';
  const advice = `Run chmod ${mode} ${resolve(path)}, or set store.shared_data_dir.`;
  throw new StoreError('unusable', `${resolve(path)} is not safe: ${why}. ${advice}`);
}

function ownIdentity(): Identity | undefined {
  if (!process.geteuid || !process.getgroups || !process.getegid) return undefined;
  return { uid: process.geteuid(), gids: [process.getegid(), ...process.getgroups()] };
}

/**
 * Does without mkdir's `recursive`, which never returns where a file system refuses with ENOENT, as /proc does (Node
 * 24.21).
 */
function makeFolder(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (!existsSync(folder)) throw error;
  }
}
