import { Badge } from '@mantine/core';
import { Pair } from '../../../ui/pair';
import { Chosen } from '../../../ui/values';
import type { Model, ModelOffer, ModelSwitch } from './switches.api';

interface ModelStateProps {
  status: (Model | ModelOffer)['status'];
  /** What has switched it off. */
  by: ModelSwitch | undefined;
}

/** Whether a model or an offer is in service, and what clients are told otherwise. */
export function ModelState({ status: { active, message }, by }: ModelStateProps) {
  const told = by?.message ?? (active && message === 'Operational' ? undefined : message);
  return (
    <Pair detail={told !== undefined && <Chosen>{told}</Chosen>} title={told ?? ''}>
      <Badge color={by ? 'orange' : active ? (told === undefined ? 'signal' : 'yellow') : 'red'}>
        {by ? 'Switched off' : active ? 'In service' : 'Not available'}
      </Badge>
    </Pair>
  );
}
