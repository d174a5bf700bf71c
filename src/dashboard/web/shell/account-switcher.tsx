import { Combobox, Group, Text, UnstyledButton, useCombobox, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { use, useState } from 'react';
import { useLocation } from 'wouter';
import { AccountContext, useAccounts } from './account';
import classes from './account-switcher.module.css';
import { Face } from '../ui/face';
import { PagesContext } from './page-entry';

/** Shows which account the pages are about, and lets another be chosen. */
export function AccountSwitcher() {
  const account = use(AccountContext);
  const pages = use(PagesContext);
  const accounts = useAccounts();
  const [location, go] = useLocation();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase().slice(0, 200);
  const [asked] = useDebouncedValue(wanted, 250);
  // Operators may have more accounts than are listed.
  const matching = useAccounts(asked);
  const combobox = useCombobox({ onDropdownClose: () => setSearch('') });
  if (!account) return null;
  if (!location.startsWith('/accounts/'))
    return (
      <Text size="sm" c="dimmed" px={10} py={12} lh="20px" truncate>
        {location.startsWith('/operate/') ? 'All organisations' : account.name}
      </Text>
    );
  const found = matching.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted));
  const choose = (id: string) => {
    const page = pages.find(({ path, section }) => section !== 'Operate' && location.split('/')[3] === path) ?? pages[0]!;
    go(`/accounts/${encodeURIComponent(id)}/${page.path}`);
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} width={300} position="bottom-start" shadow="md">
      <Combobox.Target targetType="button">
        <UnstyledButton className={classes.button} onClick={() => combobox.toggleDropdown()}>
          <Group gap="sm" wrap="nowrap">
            <Face size={26} radius="sm" name={account.name} />
            <Text size="sm" fw={550} truncate flex={1}>
              <VisuallyHidden>Account </VisuallyHidden>
              {account.name}
            </Text>
            <IconSelector size={16} aria-hidden />
          </Group>
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        {accounts.length > 5 && (
          <Combobox.Search
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            placeholder="Find an account"
            aria-label="Find an account"
          />
        )}
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }}>
          {found.length === 0 && <Combobox.Empty>No account is called that</Combobox.Empty>}
          {found.map(({ id, name }) => (
            <Combobox.Option key={id} value={id} active={id === account.id}>
              <Group gap="sm" wrap="nowrap">
                <Face size={22} radius="sm" name={name} />
                <Text size="sm" truncate flex={1}>
                  {name}
                </Text>
                {id === account.id && <IconCheck size={15} aria-label="chosen" />}
              </Group>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
