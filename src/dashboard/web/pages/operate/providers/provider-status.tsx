import { Badge } from '@mantine/core';
import { Pair } from '../../../ui/pair';
import { Chosen } from '../../../ui/values';
import type { Provider } from './providers.api';

/** Whether a provider serves, and if not, why. */
export function ProviderStatus({ provider: { in_service, disabled_at, problem, message } }: { provider: Provider }) {
  const [color, word] = disabled_at !== null ? ['gray', 'Switched off'] : in_service ? ['signal', 'In service'] : ['red', 'Does not serve'];
  const why = problem ?? message;
  return (
    <Pair detail={why && <Chosen>{why}</Chosen>} title={why ?? ''}>
      <Badge color={color}>{word}</Badge>
    </Pair>
  );
}
