import { Center } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { ErrorState } from './states';

/** Shows what went wrong in place of the part of the page in which it did. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Center p="xl">
        <ErrorState error={error} retry={() => location.reload()} />
      </Center>
    );
  }
}
