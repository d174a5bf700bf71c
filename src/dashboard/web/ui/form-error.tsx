import { Alert } from '@mantine/core';

/** Why a form was not taken; nothing where it was. */
export const FormError = ({ error }: { error: Error | null }) =>
  error && (
    <Alert color="red" role="alert">
      {error.message}
    </Alert>
  );
