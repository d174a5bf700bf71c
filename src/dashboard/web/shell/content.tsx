import { createElement, type ReactNode, use } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { IconBuildingCommunity, IconMoodEmpty } from '@tabler/icons-react';
import { useSession } from '../api/session';
import { addressOf, maySee, type PageEntry, pages } from '../pages';
import { ErrorBoundary } from '../ui/error-boundary';
import { later } from '../ui/later';
import { EmptyState, PageLoading } from '../ui/states';
import { AccountContext } from './account';

const elements = new Map<PageEntry, ReactNode>(pages.map((page) => [page, createElement(later(page.load, <PageLoading />))]));

const YourAccount = later(() => import('../you/your-account.page'), <PageLoading />);

const patternOf = ({ section, path }: PageEntry): string =>
  section === 'Operate' ? `/operate/${path}/*?` : `/accounts/:account/${path}/*?`;

/** The page of the address. */
export function Content() {
  const account = use(AccountContext);
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
      <Route path="/you" component={YourAccount} />
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
  return <ErrorBoundary>{elements.get(page)}</ErrorBoundary>;
}

function NoAccount() {
  return (
    <EmptyState icon={IconBuildingCommunity} title="There is no account here for you">
      You are a member of no account, or this address names one that you are no member of. Ask an owner for an invitation.
    </EmptyState>
  );
}
