import { AppShell, Box, Burger, Group } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { SessionContext, sessionQuery } from '../api/session';
import { useEnvironmentInAddress } from '../ui/preferences';
import { ErrorState, PageLoading } from '../ui/states';
import { AccountContext, useChosenAccount } from './account';
import { Brand } from './brand';
import { Content } from './content';
import { Navigation } from './navigation';

const SessionEnded = lazy(() => import('./session-ended'));

/** What surrounds every page of somebody who is signed in. */
export function Shell() {
  const session = useQuery(sessionQuery);
  const [location] = useLocation();
  const search = useSearch();
  if (session.isPending) return <PageLoading />;
  if (session.isError && session.data === undefined) return <ErrorState error={session.error} retry={() => void session.refetch()} />;
  if (!session.data) return <Redirect to={signInFor(location, search)} replace />;
  return (
    <SessionContext value={session.data}>
      <Frame />
      {session.data.ended && (
        <Suspense>
          <SessionEnded />
        </Suspense>
      )}
    </SessionContext>
  );
}

/** Where whoever is not signed in goes, and comes back from. */
function signInFor(location: string, search: string): string {
  if (location === '/') return '/sign-in';
  return `/sign-in?next=${encodeURIComponent(search === '' ? location : `${location}?${search}`)}`;
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
  const account = useChosenAccount();
  useEffect(close, [location, close]);
  useEnvironmentInAddress();
  useHotkeys([['Escape', close]]);
  return (
    <AccountContext value={account}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell header={{ height: { base: 52, sm: 0 } }} navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !opened } }}>
        <AppShell.Header hiddenFrom="sm" style={{ background: 'var(--surface)', borderColor: 'var(--line)' }}>
          <Group h="100%" px="md" justify="space-between">
            <Brand />
            <Burger opened={opened} onClick={toggle} size="sm" aria-label={opened ? 'Close navigation' : 'Open navigation'} />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar style={{ background: 'var(--surface)', borderColor: 'var(--line)' }}>
          <Navigation close={close} />
        </AppShell.Navbar>
        <AppShell.Main>
          <Box id="content" p={{ base: 'md', sm: 'xl' }} tabIndex={-1} style={{ outline: 'none' }}>
            <Content />
          </Box>
        </AppShell.Main>
      </AppShell>
    </AccountContext>
  );
}
