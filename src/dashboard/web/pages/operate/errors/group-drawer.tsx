import { Drawer, Text } from '@mantine/core';
import { Paged } from '../../../ui/lists';
import { useOpened } from '../../../ui/opened';
import { type Column, Rows } from '../../../ui/rows';
import { Chosen, Time } from '../../../ui/values';
import { type ErrorRequest, useRequestsOf } from './errors.api';

interface GroupProps {
  /** Id of a group. */
  group: string;
  hours: number;
  account: string | null;
}

/** All requests that have ended in the same error. */
export function GroupDrawer({ group, onClose, ...which }: Omit<GroupProps, 'group'> & { group: string | null; onClose: () => void }) {
  const [request] = useOpened('request');
  return (
    <Drawer opened={group !== null && request === null} onClose={onClose} size={680} title="All requests of the group">
      {group !== null && <Requests group={group} {...which} />}
    </Drawer>
  );
}

function Requests({ group, ...which }: GroupProps) {
  const [, open] = useOpened('request');
  return (
    <Paged list={useRequestsOf(group, which)} one="request" empty={null}>
      {(rows) => (
        <Rows
          label="Requests"
          rows={rows}
          keyOf={({ request_id }) => request_id}
          columns={columns}
          onOpen={({ request_id }) => open(request_id)}
          minWidth={560}
        />
      )}
    </Paged>
  );
}

const columns: Column<ErrorRequest>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time value={created_at} /> },
  { title: 'Organisation', max: 190, cell: ({ account_id, account_name }) => <Name id={account_id} name={account_name} /> },
  { title: 'Key', max: 190, cell: ({ key_id, key_label }) => <Name id={key_id} name={key_label} /> },
  { title: 'Status', right: true, cell: ({ status }) => status ?? '–' },
];

/** What somebody has named, whose id is seen where one points at it. */
export const Name = ({ id, name }: { id: string | null; name: string | null }) => (
  <Text span inherit truncate display="block" title={id ?? ''}>
    <Chosen>{name ?? id ?? '–'}</Chosen>
  </Text>
);
