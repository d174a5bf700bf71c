import { ActionIcon, Badge, Box, Group, Menu, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconAdjustments, IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
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

/** Keys as rows, and on a phone as cards below one another. */
export function KeysTable(props: KeysTableProps) {
  return (
    <>
      <Table.ScrollContainer minWidth={760} visibleFrom="sm">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Rules</Table.Th>
              <Table.Th>Budget</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Ends</Table.Th>
              <Table.Th w={48}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {props.keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td maw={260}>
                  <Name apiKey={key} />
                </Table.Td>
                <Table.Td>
                  <Status apiKey={key} />
                </Table.Td>
                <Table.Td maw={260}>
                  <RulesInWords apiKey={key} />
                </Table.Td>
                <Table.Td>
                  <Budgets apiKey={key} spentOf={props.spentOf} />
                </Table.Td>
                <Table.Td>
                  <Time value={key.last_used_at} />
                </Table.Td>
                <Table.Td>
                  <Time value={key.created_at} />
                </Table.Td>
                <Table.Td>
                  <Time value={key.revoked_at ?? key.expires_at} />
                </Table.Td>
                <Table.Td>
                  <Actions apiKey={key} {...props} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap={0} hiddenFrom="sm">
        {props.keys.map((key) => (
          <Box key={key.id} p="md" style={{ borderBottom: '1px solid var(--line)' }}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Name apiKey={key} />
              <Group gap="xs" wrap="nowrap">
                <Status apiKey={key} />
                <Actions apiKey={key} {...props} />
              </Group>
            </Group>
            <Stack gap="xs" mt="xs">
              <RulesInWords apiKey={key} />
              {budgetsOf(key).length > 0 && <Budgets apiKey={key} spentOf={props.spentOf} />}
              <Text size="xs" c="dimmed">
                Last used <Time value={key.last_used_at} fallback="never" />, created <Time value={key.created_at} />
              </Text>
            </Stack>
          </Box>
        ))}
      </Stack>
    </>
  );
}

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
