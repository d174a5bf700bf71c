import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { count, duration } from '../../../ui/numbers';
import { Chosen } from '../../../ui/values';
import type { Trial } from './providers.api';

const failures: Record<NonNullable<Trial['error']>['kind'], string> = {
  invalid_request: 'It did not understand the request',
  context_length_exceeded: 'The request was too long for it',
  offer_limit: 'The request was beyond a limit of it',
  content_filtered: 'It filtered the question',
  request_too_large: 'The request was too large for it',
  parameter_ignored: 'It ignored a parameter',
  rate_limited: 'It limits how often it is asked',
  overloaded: 'It is overloaded',
  model_unavailable: 'The model is not available',
  authentication: 'It did not accept the API key',
  insufficient_quota: 'The credit or quota there is used up',
  timeout: 'It did not answer in time',
  total_timeout: 'It did not answer in time',
  limit_exceeded: 'Its answer was larger than is allowed',
  unreachable: 'It could not be reached',
  bad_response: 'Its answer could not be understood',
};

/** What has come of asking a provider for a few words. */
export function TrialResult({ trial }: { trial: Trial }) {
  const { ok, error, model, upstream_model, latency_ms, first_token_ms, text, usage } = trial;
  return (
    <Alert
      color={ok ? 'signal' : 'red'}
      icon={ok ? <IconCircleCheck size={18} /> : <IconCircleX size={18} />}
      title={error ? failures[error.kind] : `It answered in ${duration(latency_ms)}`}
      role={ok ? 'status' : 'alert'}
    >
      <Stack gap={6}>
        {error && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <Chosen>{error.message}</Chosen>
            {error.status !== null && ` (HTTP ${error.status})`}
          </Text>
        )}
        {error?.detail != null && (
          <Code block mah={160} style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {error.detail}
          </Code>
        )}
        {text !== '' && (
          <Text size="sm">
            “<Chosen>{text}</Chosen>”
          </Text>
        )}
        <Group gap="md" fz="xs" className="numbers">
          {model !== null && (
            <span>
              Model <Chosen>{model}</Chosen>
              {upstream_model !== null && upstream_model !== model && (
                <>
                  , there <Chosen>{upstream_model}</Chosen>
                </>
              )}
            </span>
          )}
          {first_token_ms !== null && <span>First token after {duration(first_token_ms)}</span>}
          {error && <span>After {duration(latency_ms)}</span>}
          {usage && (
            <span>
              {count(usage.prompt_tokens)} tokens in, {count(usage.completion_tokens)} out
            </span>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
