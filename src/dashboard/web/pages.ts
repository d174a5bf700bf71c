import {
  IconActivity,
  IconActivityHeartbeat,
  IconAlertTriangle,
  IconBox,
  IconBuilding,
  IconCoins,
  IconFlask,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconPlugConnected,
  IconRoute,
  IconServer,
  IconSettings,
  IconToggleLeft,
  IconUser,
  IconUsers,
  type Icon,
} from '@tabler/icons-react';
import type { PageEntry } from './shell/page-entry';

/** A page about the gateway, which only operators see in the navigation. */
const operate = (path: string, title: string, icon: Icon, load: PageEntry['load']): PageEntry => ({
  path,
  title,
  icon,
  section: 'Operate',
  load,
});

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
  operate('organisations', 'Organisations', IconBuilding, () => import('./pages/operate/organisations/organisations.page')),
  operate('providers', 'Providers', IconPlugConnected, () => import('./pages/operate/providers/providers.page')),
  operate('offers', 'Offers', IconActivityHeartbeat, () => import('./pages/operate/offers/offers.page')),
  operate('models', 'Model switches', IconToggleLeft, () => import('./pages/operate/model-switches/model-switches.page')),
  operate('routing', 'Routing try-out', IconRoute, () => import('./pages/operate/routing/routing.page')),
  operate('errors', 'Recent errors', IconAlertTriangle, () => import('./pages/operate/errors/errors.page')),
  operate('gateways', 'Gateways', IconServer, () => import('./pages/operate/gateways/gateways.page')),
  operate('configuration', 'Configuration', IconSettings, () => import('./pages/operate/configuration/configuration.page')),
  operate('audit', 'All changes', IconHistory, () => import('./pages/operate/audit/audit.page')),
  { path: 'you', title: 'Your account', icon: IconUser, section: 'You', load: () => import('./you/your-account.page') },
];
