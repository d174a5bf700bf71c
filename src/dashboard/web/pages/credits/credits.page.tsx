import { Button, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useAccount } from '../../shell/account';
import { GrantCredits } from '../../ui/grant-credits';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { ErrorState } from '../../ui/states';
import { Tile } from '../../ui/tile';
import { Credits } from '../../ui/values';
import { Alerts } from './alerts';
import { useBalance, useStatement } from './credits.api';
import { Ledger } from './ledger';
import { MailAlert } from './mail-alert';
import { recentMonths } from './months';
import { Statement } from './statement';

/** What the account has, was given and was charged. */
export default function CreditsPage() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const [granting, grant] = useDisclosure(false);
  const mayAlert = account.role === 'operator' || account.role === 'owner' || account.role === 'admin';
  return (
    <Page
      title="Credits"
      description={`Prepaid, exact to the billionth, in the ${environment} environment. One credit is one dollar.`}
      actions={
        account.role === 'operator' && (
          <Button leftSection={<IconPlus size={16} />} onClick={grant.open}>
            Grant credits
          </Button>
        )
      }
    >
      <Tiles />
      <Statement />
      {mayAlert && <MailAlert />}
      {mayAlert && <Alerts />}
      <Ledger />
      <GrantCredits account={granting ? account : undefined} onClose={grant.close} />
    </Page>
  );
}

function Tiles() {
  const balance = useBalance();
  const statement = useStatement(recentMonths(1)[0]!.value);
  if (balance.isError) return <ErrorState error={balance.error} retry={() => void balance.refetch()} />;
  const { available = '0', held = '0' } = balance.data ?? {};
  const { charged, saved_by_caching } = statement.data ?? {};
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
      <Tile label="To spend" value={balance.isPending ? undefined : <Credits value={available} />} note="balance without what is held" />
      <Tile label="Held" value={balance.isPending ? undefined : <Credits value={held} />} note="for requests that go on" />
      <Tile label="Charged this month" value={charged && <Credits value={charged} />} note="since its first day, UTC" />
      <Tile label="Saved by caching" value={saved_by_caching && <Credits value={saved_by_caching} />} note="this month" />
    </SimpleGrid>
  );
}
