import { useMutation, useQueryClient } from '@tanstack/react-query';

/** Milliseconds after which a change of an operator is in force at all gateways. */
const IN_FORCE = 1_200;

/**
 * Changes something of the gateway. What operators see is loaded anew, also after a refusal, because somebody else may
 * have changed it, and again when the change is in force.
 */
export function useOperation<Input, Answer>(run: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  const look = () => void client.invalidateQueries({ queryKey: ['operate'] });
  return useMutation({
    mutationFn: run,
    onSettled: () => {
      look();
      setTimeout(look, IN_FORCE);
    },
  });
}
