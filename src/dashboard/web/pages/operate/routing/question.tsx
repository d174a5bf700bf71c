import {
  Autocomplete,
  Button,
  Card,
  Collapse,
  Input,
  JsonInput,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconRoute } from '@tabler/icons-react';
import { useState } from 'react';
import { strategies } from '../../../../../wire/routing-strategy';
import { catalogue, organisations, providers, useFound } from '../../../api/find';
import { FoundSelect } from '../../../ui/found-select';
import { environments } from '../../../ui/preferences';
import { MAX_PROMPT_TOKENS, type Question } from './routing.api';

const first: Question = {
  model: '',
  promptTokens: 1_000,
  maxTokens: '',
  body: '',
  account: null,
  environment: 'live',
  strategy: null,
  providers: [],
  without: [],
  maxPrice: '',
};

/** What is asked, by whom, and with which headers. */
export function QuestionForm({ onAsk, pending }: { onAsk: (question: Question) => void; pending: boolean }) {
  const [more, { toggle, open }] = useDisclosure(false);
  const form = useForm({
    initialValues: first,
    validate: {
      model: (model, { body }) => (model.trim() === '' && body.trim() === '' ? 'The id of a model, as clients name it' : null),
      body: (body) => (body.trim() === '' || isObject(body) ? null : 'A JSON object, as in POST /v1/chat/completions'),
    },
  });
  const own = form.values.body.trim() !== '';
  const [typed] = useDebouncedValue(form.values.model, 250);
  const models = useFound(catalogue, typed).data ?? [];
  return (
    <Card component="form" onSubmit={form.onSubmit(onAsk, ({ body }) => body && open())}>
      <Stack>
        <Autocomplete
          label="Model"
          placeholder="Choose or type one"
          data={models.map(({ value }) => value)}
          filter={({ options }) => options}
          disabled={own}
          data-autofocus
          {...form.getInputProps('model')}
        />
        <SimpleGrid cols={2}>
          <NumberInput
            label="Prompt tokens"
            min={1}
            max={MAX_PROMPT_TOKENS}
            thousandSeparator=","
            allowDecimal={false}
            disabled={own}
            {...form.getInputProps('promptTokens')}
          />
          <NumberInput
            label="Answer tokens"
            placeholder="The most"
            min={1}
            thousandSeparator=","
            allowDecimal={false}
            disabled={own}
            {...form.getInputProps('maxTokens')}
          />
        </SimpleGrid>
        <Select
          label="Strategy"
          placeholder="As the model has it"
          clearable
          clearButtonProps={{ 'aria-label': 'As the model has it' }}
          data={[...strategies]}
          {...form.getInputProps('strategy')}
        />
        <FoundSelect label="Organisation" placeholder="None: no rules count" choices={organisations} {...form.getInputProps('account')} />
        <div>
          <Input.Label component="div" mb={4} id="tryout-environment">
            Environment
          </Input.Label>
          <SegmentedControl fullWidth aria-labelledby="tryout-environment" data={environments} {...form.getInputProps('environment')} />
        </div>
        <Button
          variant="subtle"
          size="xs"
          onClick={toggle}
          aria-expanded={more}
          rightSection={more ? <IconChevronUp size={15} /> : <IconChevronDown size={15} />}
          style={{ alignSelf: 'flex-start' }}
        >
          Headers and whole body
        </Button>
        <Collapse expanded={more}>
          <Stack>
            <Providers label="Only these providers" none="Any" {...form.getInputProps('providers')} />
            <Providers label="Without these providers" none="None" {...form.getInputProps('without')} />
            <NumberInput
              label="Highest price"
              description="Credits per million tokens, of prompt and answer alike."
              min={0}
              {...form.getInputProps('maxPrice')}
            />
            <JsonInput
              label="Whole body"
              description="It takes the place of model and tokens: tools, images and parameters decide who can answer."
              autosize
              minRows={3}
              maxRows={12}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
              {...form.getInputProps('body')}
            />
          </Stack>
        </Collapse>
        <Button type="submit" loading={pending} leftSection={<IconRoute size={16} />}>
          Where would it go?
        </Button>
      </Stack>
    </Card>
  );
}

interface ProvidersProps {
  label: string;
  /** What it means that none is chosen. */
  none: string;
  value?: string[];
}

function Providers({ none, value, ...props }: ProvidersProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const found = useFound(providers, search).data ?? [];
  return (
    <MultiSelect
      placeholder={value?.length ? undefined : none}
      searchable
      filter={({ options }) => options}
      data={[...new Set([...found.map((one) => one.value), ...(value ?? [])])]}
      value={value}
      onSearchChange={setTyped}
      {...props}
    />
  );
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
