import { Tabs } from '@mantine/core';
import { CodeBlock } from './code-block';
import type { Snippet } from './snippets';

/** How clients call the gateway, one form at a time. */
export function SnippetTabs({ snippets }: { snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue={snippets[0]?.id} keepMounted={false}>
      <Tabs.List aria-label="Clients">
        {snippets.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ id, code }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <CodeBlock code={code} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
