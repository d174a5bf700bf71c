import { ActionIcon, Badge, Group, Menu, Stack, Text } from '@mantine/core';
import { IconAdjustments, IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
import { type Column, Rows } from '../../ui/rows';
import { Time } from '../../ui/values';
import { BudgetBar } from './budget-bar';
import { budgetsOf, type SpentOf } from './budgets';
import type { Key } from './keys.api';
import { rulesInWords } from './rules-form';

export type KeyAction = 'edit' | 'rotate' | 'revoke';

interface KeysTableProps {
  keys: readonly Key[];
  spentOf: SpentOf;
  /** What the person may do with a key. */
  actions: readonly KeyAction[];
  onAction: (action: KeyAction, key: Key) => void;
}

/** The keys of an account. */
export function KeysTable({ keys, spentOf, ...actions }: KeysTableProps) {
  return (
    <Rows
      label="Keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={columns(spentOf)}
      renderActions={(key) => <Actions apiKey={key} {...actions} />}
    />
  );
}

const columns = (spentOf: SpentOf): Column<Key>[] => [
  { title: 'Name', max: 260, cell: (key) => <Name apiKey={key} /> },
  { title: 'Status', cell: (key) => <Status apiKey={key} /> },
  { title: 'Rules', max: 260, cell: (key) => <RulesInWords apiKey={key} /> },
  {
    title: 'Budget',
    cell: (key) => <Budgets apiKey={key} spentOf={spentOf} />,
    leftOut: (key) => budgetsOf(key).length === 0,
  },
  { title: 'Last used', cell: ({ last_used_at }) => <Time value={last_used_at} /> },
  { title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
  { title: 'Ends', cell: ({ revoked_at, expires_at }) => <Time value={revoked_at ?? expires_at} /> },
];

function Name({ apiKey: { label, display, project_id } }: { apiKey: Key }) {
  return (
    <Stack gap={2} miw={0}>
      <Text size="sm" fw={550} truncate title={label}>
        {label || 'Unnamed'}
      </Text>
      <Group gap={8} wrap="nowrap">
        <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
          {display}
        </Text>
        {project_id !== null && (
          <Badge size="xs" color="gray" maw={120}>
            {project_id}
          </Badge>
        )}
      </Group>
    </Stack>
  );
}

const colors = { active: 'signal', expired: 'gray', revoked: 'red' } as const;
const words = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;

const Status = ({ apiKey: { status } }: { apiKey: Key }) => <Badge color={colors[status]}>{words[status]}</Badge>;

function RulesInWords({ apiKey: { rules } }: { apiKey: Key }) {
  const said = rulesInWords(rules);
  if (said.length === 0)
    return (
      <Text size="xs" c="dimmed">
        Unrestricted
      </Text>
    );
  return (
    <Group gap={4}>
      {said.map((word) => (
        <Badge key={word} color="gray" size="sm" maw={200}>
          {word}
        </Badge>
      ))}
    </Group>
  );
}

function Budgets({ apiKey, spentOf }: { apiKey: Key; spentOf: SpentOf }) {
  const budgets = budgetsOf(apiKey);
  if (budgets.length === 0)
    return (
      <Text size="xs" c="dimmed">
        None
      </Text>
    );
  return (
    <Stack gap={6}>
      {budgets.map(({ window, limit }) => (
        <BudgetBar key={window} window={window} limit={limit} spent={spentOf(apiKey, window)} />
      ))}
    </Stack>
  );
}

function Actions({ apiKey, actions, onAction }: { apiKey: Key } & Pick<KeysTableProps, 'actions' | 'onAction'>) {
  if (apiKey.status !== 'active' || actions.length === 0) return null;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.label || apiKey.display}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.includes('edit') && (
          <Menu.Item leftSection={<IconAdjustments size={16} />} onClick={() => onAction('edit', apiKey)}>
            Name and rules
          </Menu.Item>
        )}
        {actions.includes('rotate') && (
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onAction('rotate', apiKey)}>
            Rotate
          </Menu.Item>
        )}
        {actions.includes('revoke') && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onAction('revoke', apiKey)}>
            Revoke
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
