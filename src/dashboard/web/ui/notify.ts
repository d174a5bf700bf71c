import { notifications } from '@mantine/notifications';

/** Says that something was done. */
export const notifyDone = (message: string): void => void notifications.show({ message, color: 'signal', autoClose: 4_000 });

/** Says what went wrong. */
export const notifyFailure = (error: Error): void =>
  void notifications.show({ title: 'This did not work', message: error.message, color: 'red', autoClose: 10_000 });
