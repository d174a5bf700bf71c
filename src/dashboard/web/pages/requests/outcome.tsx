import { Badge } from '@mantine/core';
import { sentence } from '../../ui/words';
import type { RequestRow } from './requests.api';

const words: Record<string, string> = {
  completed: 'OK',
  refused: 'Refused',
  client_left: 'Client left',
};

/** How a request ended. */
export function Outcome({ request: { status, outcome, error_code } }: { request: Pick<RequestRow, 'status' | 'outcome' | 'error_code'> }) {
  const failed = error_code !== null || (status ?? 0) >= 400;
  const color = failed ? ((status ?? 0) >= 500 ? 'red' : 'orange') : outcome === 'completed' ? 'signal' : 'gray';
  return (
    <Badge color={color} maw={230} title={error_code ?? outcome}>
      {failed ? `${status} ${sentence(error_code ?? outcome)}` : (words[outcome] ?? sentence(outcome))}
    </Badge>
  );
}
