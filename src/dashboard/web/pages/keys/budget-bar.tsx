import { Group, Progress, Stack, Text } from '@mantine/core';
import { Credits } from '../../ui/values';
import type { BudgetWindow } from './budgets';

const names: Record<BudgetWindow, string> = { day: 'today', month: 'this month', ever: 'ever' };

/** How much of a budget is spent. */
export function BudgetBar({ window, spent, limit }: { window: BudgetWindow; spent: string | undefined; limit: string }) {
  const part = Math.min(100, Number(limit) === 0 ? 100 : (Number(spent ?? 0) / Number(limit)) * 100);
  const color = part >= 95 ? 'red' : part >= 80 ? 'yellow' : 'signal';
  return (
    <Stack gap={4} miw={130} maw={220}>
      <Group gap={4} justify="space-between" wrap="nowrap">
        <Text size="xs" className="numbers">
          {spent === undefined ? '…' : <Credits value={spent} />} of <Credits value={limit} />
        </Text>
        <Text size="xs" c="dimmed">
          {names[window]}
        </Text>
      </Group>
      <Progress value={part} color={color} size="sm" aria-label={`Spent ${names[window]}: ${Math.round(part)} percent of the budget`} />
    </Stack>
  );
}
