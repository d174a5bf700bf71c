import { ActionIcon, Badge, Group, Menu, Stack, Text } from '@mantine/core';
import { IconAdjustments, IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
import { COMING } from '../../api/keys';
import { type Column, Rows } from '../../ui/rows';
import { dayOf } from '../../ui/times';
import { Chosen, Time } from '../../ui/values';
import { BudgetBar } from './budget-bar';
import { type Binding, bindingsOf, type BoundBy, budgetsOf, type SpentOf } from './budgets';
import type { Key } from './keys.api';
import { rulesInWords } from './rules-form';

export type KeyAction = 'edit' | 'rotate' | 'revoke';

interface KeysTableProps {
  keys: readonly Key[];
  spentOf: SpentOf;
  /** What binds the keys in addition to their own rules. */
  boundBy: BoundBy;
  /** What the person may do with a key. */
  actions: readonly KeyAction[];
  onAction: (action: KeyAction, key: Key) => void;
}

/** The keys of an account. */
export function KeysTable({ keys, spentOf, boundBy, ...actions }: KeysTableProps) {
  return (
    <Rows
      label="Keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={columns(spentOf, boundBy)}
      dense
      renderActions={(key) => <Actions apiKey={key} {...actions} />}
    />
  );
}

const columns = (spentOf: SpentOf, boundBy: BoundBy): Column<Key>[] => [
  { title: 'Name', max: 300, cell: (key) => <Name apiKey={key} />, detail: (key) => <More apiKey={key} of={boundBy} /> },
  { title: 'Status', cell: (key) => <Status apiKey={key} /> },
  { title: 'Rules', max: 220, cell: (key) => <RulesInWords bindings={bindingsOf(key, boundBy)} /> },
  {
    title: 'Budget',
    cell: (key) => <Budgets apiKey={key} bindings={bindingsOf(key, boundBy)} spentOf={spentOf} />,
    leftOut: (key) => budgetsOf(bindingsOf(key, boundBy)).length === 0,
  },
  { title: 'Last used', cell: ({ last_used_at }) => <Time value={last_used_at} /> },
  { title: 'Created', wide: true, cell: ({ created_at }) => <span style={{ whiteSpace: 'nowrap' }}>{dayOf(created_at)}</span> },
  { title: 'Ends', cell: ({ revoked_at, expires_at }) => <Time value={revoked_at ?? expires_at} /> },
];

const Name = ({ apiKey: { label } }: { apiKey: Key }) => (
  <Text size="sm" fw={550} truncate title={label}>
    {label || 'Unnamed'}
  </Text>
);

const More = ({ apiKey: { display, project_id }, of }: { apiKey: Key; of: BoundBy }) => (
  <>
    {project_id !== null && (
      <span title={project_id}>
        in <Chosen>{of.projects.known.get(project_id)?.name || (of.projects.waits ? COMING : project_id)}</Chosen>{' '}
      </span>
    )}
    <span className="code" style={{ whiteSpace: 'nowrap' }}>
      {display}
    </span>
  </>
);

const colors = { active: 'signal', expired: 'gray', revoked: 'red' } as const;
const words = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;

const Status = ({ apiKey: { status } }: { apiKey: Key }) => (
  <Badge color={colors[status]} miw={68}>
    {words[status]}
  </Badge>
);

/** What a key must keep to, in words; that of its project and of the organisation has a frame, and says whose it is. */
function RulesInWords({ bindings }: { bindings: readonly Binding[] }) {
  const said = bindings.flatMap(({ of, rules }) => rulesInWords(rules).map((word) => ({ of, word })));
  if (said.length === 0)
    return (
      <Text size="xs" c="dimmed">
        Unrestricted
      </Text>
    );
  return (
    <Group gap={4} miw={110}>
      {said.map(({ of, word }) => (
        <Badge
          key={`${of} ${word}`}
          color="gray"
          variant={of ? 'outline' : 'light'}
          size="sm"
          maw={200}
          title={of && `By the rules of ${of}`}
        >
          {word}
        </Badge>
      ))}
    </Group>
  );
}

function Budgets({ apiKey, bindings, spentOf }: { apiKey: Key; bindings: readonly Binding[]; spentOf: SpentOf }) {
  const budgets = budgetsOf(bindings);
  if (budgets.length === 0)
    return (
      <Text size="xs" c="dimmed">
        None
      </Text>
    );
  return (
    <Stack gap={2}>
      {budgets.map(({ of, by, window, limit }) => (
        <BudgetBar key={`${by} ${window}`} window={window} by={by} of={of} limit={limit} spent={spentOf(apiKey, by, window)} />
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
