import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialogs.module.css';
import { FormError } from './form-error';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What happens, in the words of the button. */
  action: string;
  harmful?: boolean;
  run: () => void;
  pending: boolean;
  error: Error | null;
  children: ReactNode;
}

/** Asks whether something is to happen. */
export function Confirm({ opened, onClose, title, children, ...rest }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <ConfirmForm onClose={onClose} {...rest}>
        {children}
      </ConfirmForm>
    </Modal>
  );
}

/** What a dialog asks, with a button to do it and one to leave it. */
export function ConfirmForm({ onClose, action, harmful = true, run, pending, error, children }: Omit<ConfirmProps, 'opened' | 'title'>) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <Stack>
        <FormError error={error} />
        {children}
        <FormButtons onClose={onClose} action={action} harmful={harmful} pending={pending} />
      </Stack>
    </form>
  );
}

type FormButtonsProps = Pick<ConfirmProps, 'onClose' | 'action' | 'harmful' | 'pending'> & {
  /** Further buttons, between the two. */
  children?: ReactNode;
  /** Whether there is nothing to be done. */
  disabled?: boolean;
};

/**
 * Below a form in a dialog, and always seen: a button that leaves it, which is chosen where no field is, and one that does
 * what it asks.
 */
export function FormButtons({ onClose, action, harmful = false, pending, disabled = false, children }: FormButtonsProps) {
  return (
    <Group justify="flex-end" className={classes.buttons}>
      <Button variant="default" onClick={onClose} data-autofocus>
        Cancel
      </Button>
      {children}
      <Button type="submit" color={harmful ? 'red' : undefined} loading={pending} disabled={disabled}>
        {action}
      </Button>
    </Group>
  );
}
