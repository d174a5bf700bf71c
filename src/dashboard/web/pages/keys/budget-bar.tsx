import { Group, Progress, Stack, Text } from '@mantine/core';
import { Credits } from '../../ui/values';
import type { Binder, BudgetWindow } from './budgets';

const binders: Record<Binder, string> = { key: '', project: ', project', account: ', all keys' };

const names: Record<BudgetWindow, string> = { day: 'today', month: 'this month', ever: 'ever' };

interface BudgetBarProps {
  window: BudgetWindow;
  by: Binder;
  /** Whose budget it is; absent: the key's own. */
  of: string | undefined;
  spent: string | undefined;
  limit: string;
}

/** How much of a budget is spent. */
export function BudgetBar({ window, by, of, spent, limit }: BudgetBarProps) {
  const part = Math.min(100, Number(limit) === 0 ? 100 : (Number(spent ?? 0) / Number(limit)) * 100);
  const color = part >= 95 ? 'red' : part >= 80 ? 'yellow' : 'signal';
  return (
    <Stack gap={2} miw={150} maw={220} title={of && `The budget of ${of}`}>
      <Group gap="0 4px" justify="space-between">
        <Text size="xs" className="numbers" style={{ whiteSpace: 'nowrap' }}>
          {spent === undefined ? '…' : <Credits value={spent} />} of <Credits value={limit} />
        </Text>
        <Text size="xs" c="dimmed">
          {names[window]}
          {binders[by]}
        </Text>
      </Group>
      <Progress
        value={part}
        color={color}
        size="sm"
        aria-label={`Spent ${names[window]}${of ? ` by ${of}` : ''}: ${Math.round(part)} percent of the budget`}
      />
    </Stack>
  );
}
