import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { count } from '../../ui/numbers';
import { type Column, Rows } from '../../ui/rows';
import { Chosen, Credits, Time } from '../../ui/values';

export type Line = Schemas['LedgerLineView'];

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Grants, and what was charged in a day, with the balance behind each. */
export function LedgerLines({ lines, empty }: { lines: readonly Line[]; empty: string }) {
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md">
        {empty}
      </Text>
    );
  return <Rows label="Lines" rows={lines} keyOf={({ kind, id }) => `${kind} ${id}`} columns={columns} minWidth={600} />;
}

const columns: Column<Line>[] = [
  { title: 'When', cell: ({ kind, time }) => (kind === 'grant' ? <Time value={time} /> : day.format(new Date(time))) },
  { title: 'What', max: 420, cell: (line) => <What line={line} /> },
  {
    title: 'Requests',
    right: true,
    cell: ({ requests }) => (requests === 0 ? '' : count(requests)),
    leftOut: ({ requests }) => requests === 0,
  },
  {
    title: 'Credits',
    right: true,
    cell: ({ kind, amount }, all) => (
      <Text span inherit c={kind === 'grant' ? 'signal' : undefined}>
        {!amount.startsWith('-') && '+'}
        <Credits value={amount} among={all.map((line) => line.amount)} />
      </Text>
    ),
  },
  { title: 'Balance', right: true, cell: ({ balance }, all) => <Credits value={balance} among={all.map((line) => line.balance)} /> },
];

const What = ({ line: { kind, note } }: { line: Line }) => (
  <>
    {kind === 'grant' ? 'Granted' : 'Charged (UTC day)'}
    {note !== '' && (
      <Text span inherit c="dimmed">
        {' · '}
        <Chosen>{note}</Chosen>
      </Text>
    )}
  </>
);
