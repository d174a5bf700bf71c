import { Button, Group, Menu, Progress, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { saveFile } from '../../api/save-file';
import { notice, notifyDone, notifyFailure } from '../../ui/notify';
import { count } from '../../ui/numbers';
import type { ExportForm } from './requests.api';

/** Saves the requests that are shown, and those after them, as a file. How far it is can be seen on every page. */
export function Export({ address }: { address: (form: ExportForm) => string }) {
  const [running, setRunning] = useState(false);
  const run = async (form: ExportForm): Promise<void> => {
    setRunning(true);
    await save(address(form), `requests.${form}`);
    setRunning(false);
  };
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" loading={running} leftSection={<IconDownload size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>At most 100,000 requests</Menu.Label>
        <Menu.Item onClick={() => void run('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => void run('jsonl')}>JSON lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

async function save(address: string, name: string): Promise<void> {
  const leaving = new AbortController();
  const show = (done: number, total: number) =>
    notice('export', {
      title: 'Exporting requests',
      message: <Saved done={done} total={total} stop={() => leaving.abort()} />,
      withCloseButton: false,
    });
  show(0, 0);
  try {
    const total = await saveFile(address, name, leaving.signal, show);
    notifyDone(`${count(total)} ${total === 1 ? 'request is' : 'requests are'} saved.`);
  } catch (error) {
    if (!leaving.signal.aborted) notifyFailure(error as Error);
  } finally {
    notice('export');
  }
}

function Saved({ done, total, stop }: { done: number; total: number; stop: () => void }) {
  const part = total === 0 ? 0 : (done / total) * 100;
  return (
    <Stack gap={6} mt={4}>
      <Progress value={part} size="sm" aria-label={`Exported ${Math.floor(part)} percent`} />
      <Group justify="space-between" wrap="nowrap">
        <Text size="xs" className="numbers">
          {total === 0 ? 'Counting …' : `${count(done)} of ${count(total)}`}
        </Text>
        <Button size="compact-xs" variant="subtle" color="gray" onClick={stop}>
          Stop
        </Button>
      </Group>
    </Stack>
  );
}
