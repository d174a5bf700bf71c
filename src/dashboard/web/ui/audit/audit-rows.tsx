import { Text } from '@mantine/core';
import { type Column, Rows } from '../rows';
import { Chosen, Time } from '../values';
import { sentence } from '../words';
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
  {
    title: 'What',
    max: 300,
    cell: (line) => (
      <Text size="sm" fw={550} truncate title={line.action}>
        {deedInWords(line)}
      </Text>
    ),
    detail: (line) => <Chosen>{fieldsInWords(line)}</Chosen>,
  },
  {
    title: 'Of what',
    max: 290,
    cell: ({ subject, subject_name }) => (
      <Text size="sm" truncate title={subject}>
        <Chosen>{subject_name ?? (subject.startsWith('ses_') ? 'A session' : subject)}</Chosen>
      </Text>
    ),
    detail: ({ subject, account_id, account_name }) =>
      ofAccounts &&
      account_id !== null &&
      account_id !== subject && (
        <span title={account_id}>
          in <Chosen>{account_name ?? account_id}</Chosen>
        </span>
      ),
  },
  {
    title: 'Who',
    max: 270,
    cell: (line) => (
      <Text size="sm" truncate title={line.actor ?? ''}>
        <Chosen>{actorInWords(line)}</Chosen>
      </Text>
    ),
    detail: ({ actor_name, actor_email, role }) => [actor_name && actor_email, role && sentence(role)].filter(Boolean).join(', '),
  },
  { title: 'From', cell: ({ address }) => address ?? '–', leftOut: ({ address }) => address === null },
  { title: 'When', cell: ({ created_at }) => <Time value={created_at} /> },
];
