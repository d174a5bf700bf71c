import {
  IconActivity,
  IconBox,
  IconCoins,
  IconFlask,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconUsers,
  type Icon,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Role } from './api/session';

export interface PageEntry {
  /** Below the account's address, or for operators below /operate. */
  readonly path: string;
  readonly title: string;
  readonly icon: Icon;
  readonly section: 'Build' | 'Account' | 'Operate';
  /** Who sees it; absent: everybody. The administration API decides; this only hides what it would refuse. */
  readonly roles?: readonly Role[];
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** Every page, in the order of the navigation. To add one, write a folder in pages/ and a line here. */
export const pages: readonly PageEntry[] = [
  {
    path: 'overview',
    title: 'Overview',
    icon: IconLayoutDashboard,
    section: 'Build',
    load: () => import('./pages/overview/overview.page'),
  },
  { path: 'keys', title: 'API keys', icon: IconKey, section: 'Build', load: () => import('./pages/keys/keys.page') },
  { path: 'requests', title: 'Requests', icon: IconActivity, section: 'Build', load: () => import('./pages/requests/requests.page') },
  { path: 'models', title: 'Models', icon: IconBox, section: 'Build', load: () => import('./pages/models/models.page') },
  {
    path: 'playground',
    title: 'Playground',
    icon: IconFlask,
    section: 'Build',
    load: () => import('./pages/playground/playground.page'),
  },
  { path: 'credits', title: 'Credits', icon: IconCoins, section: 'Account', load: () => import('./pages/credits/credits.page') },
  { path: 'members', title: 'Members', icon: IconUsers, section: 'Account', load: () => import('./pages/members/members.page') },
  {
    path: 'audit',
    title: 'Audit log',
    icon: IconHistory,
    section: 'Account',
    roles: ['operator', 'owner', 'admin'],
    load: () => import('./pages/audit/audit.page'),
  },
];

/** @param role in the account that is shown; undefined: there is none */
export function maySee({ section, roles }: PageEntry, operator: boolean, role: Role | undefined): boolean {
  if (section === 'Operate') return operator;
  return role !== undefined && (roles === undefined || roles.includes(role));
}

/** The address of a page within the dashboard. */
export function addressOf({ section, path }: Pick<PageEntry, 'section' | 'path'>, account: string): string {
  return section === 'Operate' ? `/operate/${path}` : `/accounts/${encodeURIComponent(account)}/${path}`;
}
