import { Box, Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { CopyIcon } from '../../../ui/copy';
import { count, perMillion } from '../../../ui/numbers';
import { Chosen } from '../../../ui/values';
import { ModelState } from './model-state';
import type { Model, ModelOffer, Switched } from './switches.api';

interface DrawerProps {
  model: Model | undefined;
  onClose: () => void;
  onDisable: (target: Switched & { message?: string }) => void;
  onEnable: (target: Switched) => void;
}

/** One model with its offers, each of which has a switch. */
export function ModelDrawer({ model, onClose, ...act }: DrawerProps) {
  return (
    <Drawer opened={model !== undefined} onClose={onClose} size={560} title="Model">
      {model && (
        <Stack gap="xl" pb="xl">
          <Stack gap="sm">
            <Group gap={8} wrap="nowrap">
              <Title order={2} size="h3">
                <Chosen>{model.id}</Chosen>
              </Title>
              <CopyIcon text={model.id} label="Copy the id" />
            </Group>
            <ModelState status={model.status} by={switchOf(model, null)} />
            <Toggle model={model} {...act} />
          </Stack>
          <Stack gap="sm" component="section" aria-label="Offers">
            <Title order={3} size="h5">
              Offers, in the order of preference
            </Title>
            <Box component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
              {model.offers.map((offer) => (
                <Offer key={`${offer.provider} ${offer.upstream_model}`} model={model} offer={offer} {...act} />
              ))}
            </Box>
          </Stack>
        </Stack>
      )}
    </Drawer>
  );
}

/** @param provider null: of the model as a whole */
export const switchOf = ({ switches }: Model, provider: string | null) => switches.find((one) => one.provider === provider);

function Offer({ model, offer, ...act }: { model: Model; offer: ModelOffer } & Omit<DrawerProps, 'model' | 'onClose'>) {
  const { provider, upstream_model, price, context_length, status } = offer;
  return (
    <Stack component="li" gap="xs" py="md" style={{ borderTop: '1px solid var(--line)' }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Box miw={0}>
          <Text size="sm" fw={550} truncate>
            {provider}
          </Text>
          <Text size="xs" c="dimmed" className="numbers" style={{ overflowWrap: 'anywhere' }}>
            <Chosen>{upstream_model}</Chosen> · {count(context_length)} tokens ·{' '}
            {price === null ? 'no price' : `${perMillion(price.prompt)} / ${perMillion(price.completion)} per million`}
          </Text>
        </Box>
        <Toggle model={model} provider={provider} {...act} />
      </Group>
      <ModelState status={status} by={switchOf(model, provider)} />
    </Stack>
  );
}

interface ToggleProps extends Pick<DrawerProps, 'onDisable' | 'onEnable'> {
  model: Model;
  /** Absent: the model as a whole. */
  provider?: string;
}

/** Switches a model, or one of its offers, off or on. */
export function Toggle({ model, provider, onDisable, onEnable }: ToggleProps) {
  const target = { model: model.id, ...(provider !== undefined && { provider }) };
  const off = switchOf(model, provider ?? null);
  const name = provider === undefined ? model.id : `${model.id} at ${provider}`;
  if (!off)
    return (
      <Button
        size="xs"
        variant="default"
        style={{ alignSelf: 'flex-start', flexShrink: 0 }}
        aria-label={`Switch off ${name}`}
        onClick={() => onDisable(target)}
      >
        Switch off
      </Button>
    );
  return (
    <Group gap={6} wrap="nowrap" style={{ flexShrink: 0 }}>
      <Button
        size="xs"
        variant="subtle"
        aria-label={`Change the message of ${name}`}
        onClick={() => onDisable({ ...target, message: off.message })}
      >
        Message
      </Button>
      <Button size="xs" aria-label={`Switch on ${name}`} onClick={() => onEnable(target)}>
        Switch on
      </Button>
    </Group>
  );
}
