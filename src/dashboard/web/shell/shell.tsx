import { Box, Burger, Group } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { SessionContext, sessionQuery } from '../api/session';
import { later } from '../ui/later';
import { useEnvironmentInAddress } from '../ui/preferences';
import { ErrorState, PageLoading } from '../ui/states';
import { AccountContext, useChosenAccount } from './account';
import { Brand } from './brand';
import { Content } from './content';
import { Navigation } from './navigation';
import classes from './shell.module.css';

const SessionEnded = later(() => import('./session-ended'));

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
      {session.data.ended && <SessionEnded />}
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
      <Group component="header" hiddenFrom="sm" className={classes.header} px="md" justify="space-between">
        <Brand />
        <Burger opened={opened} onClick={toggle} size="sm" aria-label={opened ? 'Close navigation' : 'Open navigation'} />
      </Group>
      <aside className={classes.menu} data-opened={opened || undefined}>
        <Navigation close={close} />
      </aside>
      <main className={classes.main}>
        <Box id="content" p={{ base: 'md', sm: 'xl' }} tabIndex={-1} style={{ outline: 'none' }}>
          <Content />
        </Box>
      </main>
    </AccountContext>
  );
}
