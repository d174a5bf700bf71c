import { Badge } from '@mantine/core';
import type { Model } from '../../api/models';

/** Whether a model can be called now, and otherwise why not. */
export function Status({ status: { active, message } }: Pick<Model, 'status'>) {
  const color = !active ? 'red' : message === 'Operational' ? 'signal' : 'yellow';
  return (
    <Badge color={color} miw={66} maw={180} title={message}>
      {active && message === 'Operational' ? 'Active' : message || 'Not available'}
    </Badge>
  );
}
