import { Alert } from '@mantine/core';
import { Failure } from '../api/failure';
import { intoView } from './into-view';

/** Why a form was not taken; nothing where it was. */
export function FormError({ error }: { error: Error | null }) {
  if (!error) return null;
  const late = error instanceof Failure && error.status === 412;
  return (
    <Alert ref={intoView} color="red" role="alert" title={late && 'Somebody else was faster'} style={{ overflowWrap: 'anywhere' }}>
      {late
        ? 'This has changed since you opened it, and nothing was saved. Close it to see what it is now, then change it.'
        : error.message}
    </Alert>
  );
}
