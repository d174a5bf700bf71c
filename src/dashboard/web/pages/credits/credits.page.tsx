import { Button, Card, SimpleGrid, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useAccount } from '../../shell/account';
import { GrantCredits } from '../../ui/grant-credits';
import { Paged } from '../../ui/lists';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { ErrorState, StaleState } from '../../ui/states';
import { Tile } from '../../ui/tile';
import { Credits } from '../../ui/values';
import { Alerts } from './alerts';
import { useBalance, useLedger, useStatement } from './credits.api';
import { type Line, LedgerLines } from './ledger-lines';
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
      ofEnvironment
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
      {mayAlert && <Alerts />}
      <Ledger />
      {mayAlert && <MailAlert />}
      <GrantCredits account={granting ? account : undefined} onClose={grant.close} />
    </Page>
  );
}

function Tiles() {
  const balance = useBalance();
  const statement = useStatement(recentMonths(1)[0]!.value);
  const { available, held } = balance.data ?? {};
  const { charged, saved_by_caching } = statement.data ?? {};
  const retry = () => void balance.refetch();
  return (
    <>
      {balance.error &&
        (balance.data ? (
          <StaleState error={balance.error} since={balance.dataUpdatedAt} retry={retry} />
        ) : (
          <ErrorState error={balance.error} retry={retry} />
        ))}
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
        <Amount label="To spend" value={available} loading={balance.isPending} note="balance without what is held" />
        <Amount label="Held" value={held} loading={balance.isPending} note="for requests that go on" />
        <Amount label="Charged this month" value={charged} loading={statement.isPending} note="since its first day, UTC" />
        <Amount label="Saved by caching" value={saved_by_caching} loading={statement.isPending} note="this month" />
      </SimpleGrid>
    </>
  );
}

interface AmountProps {
  label: string;
  /** Absent once it is loaded: nobody knows it now. */
  value: string | undefined;
  loading: boolean;
  note: string;
}

function Amount({ label, value, loading, note }: AmountProps) {
  if (value !== undefined) return <Tile label={label} value={<Credits value={value} />} note={note} />;
  return loading ? <Tile label={label} value={undefined} note={note} /> : <Tile label={label} value="–" note="not known now" />;
}

/** All that was given and charged, newest first. */
function Ledger() {
  const shown = (lines: readonly Line[]) => (
    <LedgerLines lines={lines} empty="No credits yet: whoever operates this gateway gives them to accounts." />
  );
  return (
    <Card padding={0} component="section" aria-label="Ledger">
      <Title order={2} size="h5" p="md">
        Ledger
      </Title>
      <Paged list={useLedger()} one="entry" rows={3} empty={shown([])}>
        {shown}
      </Paged>
    </Card>
  );
}
