import { Button, Card, Group, Select, SimpleGrid, Tabs, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccount } from '../../shell/account';
import { Answered } from '../../ui/lists';
import { count } from '../../ui/numbers';
import { useEnvironment } from '../../ui/preferences';
import { type Column, Rows } from '../../ui/rows';
import { Chosen, Credits } from '../../ui/values';
import { statementAddress, type StatementView, useStatement } from './credits.api';
import { LedgerLines } from './ledger-lines';
import { recentMonths } from './months';

/** What was given and charged in a month, between its opening and its closing balance. */
export function Statement() {
  const account = useAccount();
  const months = recentMonths(12);
  const [environment] = useEnvironment();
  const [month, setMonth] = useState(months[0]!.value);
  const statement = useStatement(month);
  return (
    <Card padding={0} component="section" aria-label="Statement">
      <Group p="md" justify="space-between" gap="sm">
        <Title order={2} size="h5">
          Statement
        </Title>
        <Group gap="sm">
          <Select
            aria-label="Month"
            w={170}
            allowDeselect={false}
            data={months}
            value={month}
            onChange={(value) => value && setMonth(value)}
          />
          <Button
            component="a"
            href={statementAddress(account.id, environment, month)}
            download
            variant="default"
            leftSection={<IconDownload size={16} />}
          >
            CSV
          </Button>
        </Group>
      </Group>
      <Answered query={statement} rows={4}>
        {(shown) => <Shown statement={shown} />}
      </Answered>
    </Card>
  );
}

function Shown({ statement }: { statement: StatementView }) {
  const { opening_balance, granted, charged, closing_balance, uncollected } = statement;
  const sums = [
    ['Opening balance', opening_balance],
    ['Granted', granted],
    ['Charged', charged],
    ['Closing balance', closing_balance],
  ] as const;
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }} px="md" pb="md" component="dl" m={0}>
        {sums.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} fw={600}>
              <Credits value={value} />
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {Number(uncollected) > 0 && (
        <Text size="xs" c="dimmed" px="md" pb="md">
          <Credits value={uncollected} unit /> more were owed and could not be collected.
        </Text>
      )}
      <Tabs defaultValue="models" keepMounted={false}>
        <Tabs.List px="md">
          <Tabs.Tab value="models">By model</Tabs.Tab>
          <Tabs.Tab value="lines">By day</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="models">
          <Models models={statement.models} />
        </Tabs.Panel>
        <Tabs.Panel value="lines">
          <LedgerLines lines={statement.lines} empty="Nothing was granted or charged in this month. Months begin at midnight UTC." />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Models({ models }: { models: StatementView['models'] }) {
  if (models.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md">
        Nothing was charged in this month. Months begin at midnight UTC.
      </Text>
    );
  return <Rows label="Models" rows={models} keyOf={({ model }) => model} columns={columns} minWidth={560} />;
}

const columns: Column<StatementView['models'][number]>[] = [
  { title: 'Model', max: 320, cell: ({ model }) => <Chosen>{model}</Chosen> },
  { title: 'Requests', right: true, cell: ({ requests }) => count(requests) },
  { title: 'Tokens in', right: true, cell: ({ prompt_tokens }) => count(prompt_tokens) },
  { title: 'Tokens out', right: true, cell: ({ completion_tokens }) => count(completion_tokens) },
  { title: 'Credits', right: true, cell: ({ cost }, all) => <Credits value={cost} among={all.map((one) => one.cost)} /> },
];
