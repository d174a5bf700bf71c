import { Badge, Stack, Text, Tooltip } from '@mantine/core';
import { type Column, Rows } from '../rows';
import { Chosen, Time } from '../values';
import { actorInWords, deedInWords, fieldsInWords, type Line } from './deeds';

interface AuditRowsProps {
  lines: readonly Line[];
  /** Whether they are of several accounts. */
  ofAccounts?: boolean;
}

/** Lines of the audit log, newest first. */
export const AuditRows = ({ lines, ofAccounts = false }: AuditRowsProps) => (
  <Rows label="Changes" rows={lines} keyOf={({ id }) => id} columns={columns(ofAccounts)} minWidth={900} />
);

const columns = (ofAccounts: boolean): Column<Line>[] => [
  { title: 'What', max: 300, cell: (line) => <Deed line={line} /> },
  { title: 'Of what', max: 240, cell: (line) => <Subject line={line} ofAccounts={ofAccounts} /> },
  { title: 'Who', max: 240, cell: (line) => <Actor line={line} /> },
  { title: 'From', cell: ({ address }) => address ?? '–', leftOut: ({ address }) => address === null },
  { title: 'When', cell: ({ created_at }) => <Time value={created_at} /> },
];

function Deed({ line }: { line: Line }) {
  const fields = fieldsInWords(line);
  return (
    <Stack gap={2} miw={0}>
      <Tooltip label={line.action} multiline maw={360}>
        <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
          {deedInWords(line)}
        </Text>
      </Tooltip>
      {fields !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          <Chosen>{fields}</Chosen>
        </Text>
      )}
    </Stack>
  );
}

function Subject({ line: { subject, account_id }, ofAccounts }: { line: Line; ofAccounts: boolean }) {
  return (
    <Stack gap={2} miw={0}>
      <Text size="sm" truncate title={subject}>
        <Chosen>{subject}</Chosen>
      </Text>
      {ofAccounts && account_id !== null && account_id !== subject && (
        <Text size="xs" c="dimmed" truncate title={account_id}>
          in {account_id}
        </Text>
      )}
    </Stack>
  );
}

const kinds: Record<Line['actor_kind'], string> = { token: 'Token', cli: 'Command line', user: 'Person', nobody: 'Stranger' };

function Actor({ line }: { line: Line }) {
  const { actor_kind, role } = line;
  return (
    <Stack gap={2} miw={0} align="flex-start">
      <Text size="sm" truncate maw="100%" title={actorInWords(line)}>
        <Chosen>{actorInWords(line)}</Chosen>
      </Text>
      <Badge size="xs" color="gray">
        {kinds[actor_kind]}
        {role !== null && `, ${role}`}
      </Badge>
    </Stack>
  );
}
