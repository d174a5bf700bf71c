import { Accordion, MultiSelect, NumberInput, Select, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { IconCoins, IconGauge, IconShieldLock } from '@tabler/icons-react';
import { operations } from '../../../../wire/operations';
import type { RulesValues } from './rules-form';

const budgets = ['day', 'month', 'ever'] as const;

/** What a key may call. */
const callable = [
  ...Object.entries(operations).map(([value, { title }]) => ({ value, label: title as string })),
  { value: 'models', label: 'List of models' },
];

const creditsProblem = (value: string): string | null =>
  value === '' || /^\d{1,9}(\.\d{1,9})?$/.test(value) ? null : 'Credits, such as 25 or 0.5, with at most nine decimals';

/** What to check of the fields below before they are sent. */
export const rulesProblems = { day: creditsProblem, month: creditsProblem, ever: creditsProblem };

/** Fields for budgets, limits and what a key may call. */
export function RulesFields<Values extends RulesValues>({ form }: { form: UseFormReturnType<Values> }) {
  // The fields of the rules are part of whatever form they are in.
  const { getInputProps, errors } = form as unknown as UseFormReturnType<RulesValues>;
  const [opened, setOpened] = useState<string[]>([]);
  const [seen, setSeen] = useState(errors);
  if (errors !== seen) {
    setSeen(errors);
    if (budgets.some((name) => errors[name] !== undefined)) setOpened([...new Set([...opened, 'budgets'])]);
  }
  return (
    <Accordion variant="separated" multiple value={opened} onChange={setOpened} chevronPosition="right">
      <Accordion.Item value="budgets">
        <Accordion.Control icon={<IconCoins size={18} stroke={1.6} />}>
          <Heading title="Budgets" text="Credits that may be spent in a day, a month, or ever" />
        </Accordion.Control>
        <Accordion.Panel>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <TextInput label="Per day" placeholder="No limit" inputMode="decimal" {...getInputProps('day')} />
            <TextInput label="Per month" placeholder="No limit" inputMode="decimal" {...getInputProps('month')} />
            <TextInput label="Ever" placeholder="No limit" inputMode="decimal" {...getInputProps('ever')} />
          </SimpleGrid>
          <Text size="xs" c="dimmed" mt="xs">
            Days and months begin at midnight UTC. A request that could exceed a budget is refused before it is sent.
          </Text>
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="limits">
        <Accordion.Control icon={<IconGauge size={18} stroke={1.6} />}>
          <Heading title="Rate limits" text="Requests and tokens a minute, and requests at once" />
        </Accordion.Control>
        <Accordion.Panel>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {(['requests_per_minute', 'tokens_per_minute', 'concurrency'] as const).map((name) => (
              <NumberInput
                key={name}
                label={{ requests_per_minute: 'Requests a minute', tokens_per_minute: 'Tokens a minute', concurrency: 'At once' }[name]}
                placeholder="No limit"
                min={1}
                max={1_000_000_000}
                allowDecimal={false}
                thousandSeparator=","
                hideControls
                {...getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          <NumberInput
            label="Burst, in seconds"
            description="How many seconds’ worth of requests and tokens may come at once"
            placeholder="10"
            min={1}
            max={3_600}
            hideControls
            mt="sm"
            {...getInputProps('burst_seconds')}
          />
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="access">
        <Accordion.Control icon={<IconShieldLock size={18} stroke={1.6} />}>
          <Heading title="Access" text="Models, providers, operations and addresses" />
        </Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <TagsInput
              label="Only these models"
              description="Ids of the catalogue; * stands for any characters"
              placeholder="All models"
              {...getInputProps('models_allow')}
            />
            <TagsInput label="Not these models" placeholder="None" {...getInputProps('models_deny')} />
            <TagsInput label="Only these providers" placeholder="All providers" {...getInputProps('providers_allow')} />
            <TagsInput label="Not these providers" placeholder="None" {...getInputProps('providers_deny')} />
            <MultiSelect label="Only these operations" placeholder="All operations" data={callable} {...getInputProps('operations')} />
            <TagsInput
              label="Only from these addresses"
              description="Addresses and ranges, such as 10.0.0.0/8"
              placeholder="Anywhere"
              {...getInputProps('addresses')}
            />
            <Select
              label="A max_tokens higher than the model’s"
              data={[
                { value: 'model', label: 'As the model says' },
                { value: 'yes', label: 'Is lowered' },
                { value: 'no', label: 'Is refused' },
              ]}
              allowDeselect={false}
              {...getInputProps('lower_max_tokens')}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function Heading({ title, text }: { title: string; text: string }) {
  return (
    <>
      <Text size="sm" fw={550}>
        {title}
      </Text>
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    </>
  );
}
