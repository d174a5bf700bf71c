import {
  Anchor,
  Autocomplete,
  Button,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { memo, type ReactNode } from 'react';
import type { Mode } from './conversation';
import classes from './playground.module.css';
import {
  exampleSchema,
  exampleTools,
  noSettings,
  type NumberField as Field,
  numberFields,
  type Format,
  schemaOf,
  type Settings,
  type ToolChoice,
  toolsOf,
} from './settings';

/** Texts before which an answer ends, at most; as many as the API takes. */
const MAX_STOP = 16;
const MAX_JSON = 200_000;

const formats: { value: Format; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'json_object', label: 'Any JSON object' },
  { value: 'json_schema', label: 'JSON of a schema' },
];

const choices: { value: ToolChoice; label: string }[] = [
  { value: 'auto', label: 'The model decides' },
  { value: 'required', label: 'It must call one' },
  { value: 'none', label: 'It may call none' },
];

interface SettingsPanelProps {
  readonly mode: Mode;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

/** What goes with every prompt. */
export const SettingsPanel = memo(function SettingsPanel({ mode, settings, onChange }: SettingsPanelProps) {
  const set = (fields: Partial<Settings>) => onChange({ ...settings, ...fields });
  return (
    <Stack gap="lg">
      {mode === 'chat' && (
        <Textarea
          label="System prompt"
          placeholder="You are …"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={MAX_JSON}
          value={settings.system}
          onChange={(event) => set({ system: event.currentTarget.value })}
        />
      )}
      <Part
        title="Parameters"
        action={
          JSON.stringify(settings) !== JSON.stringify(noSettings) && (
            <Anchor component="button" type="button" size="xs" onClick={() => onChange(noSettings)}>
              Clear all
            </Anchor>
          )
        }
      >
        <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
          {numberFields.map((field) => (
            <NumberField
              key={field.name}
              field={field}
              value={settings.numbers[field.name] ?? ''}
              onChange={(value) => set({ numbers: { ...settings.numbers, [field.name]: value } })}
            />
          ))}
        </SimpleGrid>
        <TagsInput
          size="xs"
          label="Stop at"
          placeholder={settings.stop.length === 0 ? 'A text, then Enter' : undefined}
          maxTags={MAX_STOP}
          splitChars={[]}
          value={[...settings.stop]}
          onChange={(stop) => set({ stop })}
        />
        {mode === 'chat' && (
          <Autocomplete
            size="xs"
            label="Reasoning effort"
            placeholder="Default"
            maxLength={64}
            data={['none', 'minimal', 'low', 'medium', 'high']}
            value={settings.effort}
            onChange={(effort) => set({ effort })}
          />
        )}
      </Part>
      {mode === 'chat' && (
        <>
          <Formats settings={settings} set={set} />
          <Tools settings={settings} set={set} />
        </>
      )}
    </Stack>
  );
});

interface PartProps {
  readonly settings: Settings;
  readonly set: (fields: Partial<Settings>) => void;
}

function Formats({ settings, set }: PartProps) {
  const schema = schemaOf(settings);
  return (
    <Part title="Form of the answer">
      <Select
        size="xs"
        aria-label="Form of the answer"
        allowDeselect={false}
        data={formats}
        value={settings.format}
        onChange={(format) => format && set({ format, schema: settings.schema || exampleSchema })}
      />
      {settings.format === 'json_schema' && (
        <>
          <JsonField label="JSON schema" value={settings.schema} problem={schema} onChange={(text) => set({ schema: text })} />
          <Switch
            size="xs"
            label="Strictly as the schema says"
            checked={settings.strict}
            onChange={(event) => set({ strict: event.currentTarget.checked })}
          />
        </>
      )}
    </Part>
  );
}

function Tools({ settings, set }: PartProps) {
  const tools = toolsOf(settings);
  return (
    <Part
      title="Tools"
      action={
        settings.tools.trim() === '' && (
          <Button size="compact-xs" variant="subtle" onClick={() => set({ tools: exampleTools })}>
            Insert an example
          </Button>
        )
      }
    >
      <JsonField
        label="Functions that the model may call"
        value={settings.tools}
        problem={tools}
        onChange={(text) => set({ tools: text })}
      />
      {settings.tools.trim() !== '' && (
        <Select
          size="xs"
          label="Choice"
          allowDeselect={false}
          data={choices}
          value={settings.toolChoice}
          onChange={(toolChoice) => toolChoice && set({ toolChoice })}
        />
      )}
    </Part>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  /** What it was read as; a text says what is wrong with it. */
  readonly problem: unknown;
  readonly onChange: (text: string) => void;
}

function JsonField({ label, value, problem, onChange }: JsonFieldProps) {
  return (
    <Textarea
      className={classes.typed}
      size="xs"
      label={label}
      placeholder="JSON"
      autosize
      minRows={2}
      maxRows={14}
      maxLength={MAX_JSON}
      spellCheck={false}
      value={value}
      error={typeof problem === 'string' ? problem : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Part({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between" mih={22}>
        <Title order={2} size="h6">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Stack>
  );
}

interface NumberFieldProps {
  field: Field;
  value: number | string;
  onChange: (value: number | string) => void;
}

/** A number within its bounds. The field that the library has for them would be 9 KB of what the page loads first. */
function NumberField({ field: { label, min, max, step, decimals }, value, onChange }: NumberFieldProps) {
  return (
    <TextInput
      type="number"
      size="xs"
      label={label}
      placeholder="Default"
      min={min}
      max={max}
      step={step}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? '' : currentTarget.valueAsNumber)}
      onBlur={() => typeof value === 'number' && onChange(Math.min(max, Math.max(min, Number(value.toFixed(decimals)))))}
    />
  );
}
