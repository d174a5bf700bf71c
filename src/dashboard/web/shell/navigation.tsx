import { Box, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { use } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../api/session';
import { intoView } from '../ui/into-view';
import { AccountContext } from './account';
import { AccountSwitcher } from './account-switcher';
import { Brand } from './brand';
import classes from './navigation.module.css';
import { addressOf, maySee, type PageEntry, PagesContext } from './page-entry';
import { UserMenu } from './user-menu';

const sections = ['Build', 'Account', 'Operate'] as const;

/** The account, the pages, and whoever is signed in. */
export function Navigation({ close }: { close: () => void }) {
  const account = use(AccountContext);
  const { user } = useSession();
  const shown = use(PagesContext).filter((page) => maySee(page, user.operator, account?.role));
  return (
    <>
      <Stack gap="sm" p="md" pb="xs">
        <Group visibleFrom="sm" h={32}>
          <Brand />
        </Group>
        <AccountSwitcher />
      </Stack>
      <ScrollArea flex={1} px="sm" type="scroll">
        <nav aria-label="Pages">
          {sections.map((section) => {
            const listed = shown.filter((page) => page.section === section);
            if (listed.length === 0) return null;
            return (
              <Box key={section} mb="xs">
                <Text size="xs" c="dimmed" px="sm" py={6} fw={500}>
                  {section}
                </Text>
                {listed.map((page) => (
                  <Entry key={page.path} page={page} account={account?.id ?? ''} close={close} />
                ))}
              </Box>
            );
          })}
        </nav>
      </ScrollArea>
      <Box p="sm" style={{ borderTop: '1px solid var(--line)' }}>
        <UserMenu />
      </Box>
    </>
  );
}

function Entry({ page, account, close }: { page: PageEntry; account: string; close: () => void }) {
  const address = addressOf(page, account);
  const [location] = useLocation();
  const active = location === address || location.startsWith(`${address}/`);
  const Symbol = page.icon;
  return (
    <Link
      ref={active ? intoView : undefined}
      href={address}
      aria-current={active ? 'page' : undefined}
      onClick={close}
      className={classes.entry}
    >
      <Symbol size={18} stroke={1.7} aria-hidden />
      {page.title}
    </Link>
  );
}
