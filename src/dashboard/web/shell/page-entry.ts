import type { Icon } from '@tabler/icons-react';
import { type ComponentType, createContext } from 'react';
import type { Role } from '../api/session';

export interface PageEntry {
  /** Below the account's address, for operators below /operate, and for the person's own below /. */
  readonly path: string;
  readonly title: string;
  readonly icon: Icon;
  /** The navigation has no section `You`: the menu of the person leads there. */
  readonly section: 'Build' | 'Account' | 'Operate' | 'You';
  /** Who sees it; absent: everybody. The administration API decides; this only hides what it would refuse. */
  readonly roles?: readonly Role[];
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** Every page, in the order of the navigation. The application fills it. */
export const PagesContext = createContext<readonly PageEntry[]>([]);

/** @param role in the account that is shown; undefined: there is none */
export function maySee({ section, roles }: PageEntry, operator: boolean, role: Role | undefined): boolean {
  if (section === 'You') return true;
  if (section === 'Operate') return operator;
  return role !== undefined && (roles === undefined || roles.includes(role));
}

/** The address of a page within the dashboard. */
export function addressOf({ section, path }: Pick<PageEntry, 'section' | 'path'>, account: string): string {
  if (section === 'You') return `/${path}`;
  return section === 'Operate' ? `/operate/${path}` : `/accounts/${encodeURIComponent(account)}/${path}`;
}
