import { Drawer, Text } from '@mantine/core';
import { Paged } from '../../../ui/lists';
import { useOpened } from '../../../ui/opened';
import { type Column, Rows } from '../../../ui/rows';
import { Chosen, Time } from '../../../ui/values';
import { sentence } from '../../../ui/words';
import { type ErrorGroup, type ErrorRequest, useRequestsOf } from './errors.api';

interface DrawerProps {
  /** Id of the group that is opened; null: none is. */
  id: string | null;
  /** Undefined until it is known. */
  group: ErrorGroup | undefined;
  hours: number;
  account: string | null;
  onClose: () => void;
}

/** All requests that have ended in the same error. */
export function GroupDrawer({ id, group, onClose, ...which }: DrawerProps) {
  const [request] = useOpened('request');
  return (
    <Drawer opened={id !== null && request === null} onClose={onClose} size={680} title={group ? titleOf(group) : 'Error'}>
      {id !== null && <Requests id={id} {...which} />}
    </Drawer>
  );
}

/** Model overloaded: all requests for some-model at some-provider */
function titleOf({ code, model, provider }: ErrorGroup) {
  return (
    <>
      {sentence(code)}: all requests
      {model !== null && (
        <>
          {' for '}
          <Chosen>{model}</Chosen>
        </>
      )}
      {provider !== null && ` at ${provider}`}
    </>
  );
}

function Requests({ id, ...which }: { id: string } & Pick<DrawerProps, 'hours' | 'account'>) {
  const [, open] = useOpened('request');
  return (
    <Paged list={useRequestsOf(id, which)} one="request" empty={null}>
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
