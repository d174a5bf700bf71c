import { createElement, type ReactNode, use } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { IconBuildingCommunity, IconMoodEmpty } from '@tabler/icons-react';
import { useSession } from '../api/session';
import { ErrorBoundary } from '../ui/error-boundary';
import { later } from '../ui/later';
import { EmptyState, PageLoading } from '../ui/states';
import { AccountContext } from './account';
import { addressOf, maySee, type PageEntry, PagesContext } from './page-entry';

const elements = new WeakMap<PageEntry, ReactNode>();

/** @returns the same element each time, which is loaded when it is first shown */
function elementOf(page: PageEntry): ReactNode {
  if (!elements.has(page)) elements.set(page, createElement(later(page.load, <PageLoading />)));
  return elements.get(page);
}

const patternOf = ({ section, path }: PageEntry): string => {
  if (section === 'You') return `/${path}`;
  return section === 'Operate' ? `/operate/${path}/*?` : `/accounts/:account/${path}/*?`;
};

/** The page of the address. */
export function Content() {
  const account = use(AccountContext);
  const pages = use(PagesContext);
  const { user } = useSession();
  const first = account ? addressOf(pages[0]!, account.id) : undefined;
  return (
    <Switch>
      {pages.map((page) => (
        <Route key={page.path + page.section} path={patternOf(page)}>
          {page.section === 'Operate' || maySee(page, user.operator, account?.role) ? (
            <Loaded page={page} key={page.section === 'Operate' ? page.path : account?.id} />
          ) : account ? (
            <NoPage />
          ) : (
            <NoAccount />
          )}
        </Route>
      ))}
      <Route path="/accounts/:account">{first ? <Redirect to={first} replace /> : <NoAccount />}</Route>
      <Route path="/">{first ? <Redirect to={first} replace /> : user.operator ? <PageLoading /> : <NoAccount />}</Route>
      <Route component={NoPage} />
    </Switch>
  );
}

function NoPage() {
  return (
    <EmptyState icon={IconMoodEmpty} title="There is no such page">
      The address may be mistyped, or you may not see this page in this account.
    </EmptyState>
  );
}

function Loaded({ page }: { page: PageEntry }) {
  return <ErrorBoundary>{elementOf(page)}</ErrorBoundary>;
}

function NoAccount() {
  return (
    <EmptyState icon={IconBuildingCommunity} title="There is no account here for you">
      You are a member of no account, or this address names one that you are no member of. Ask an owner for an invitation.
    </EmptyState>
  );
}
