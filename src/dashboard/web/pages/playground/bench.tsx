import { Button, Card, Drawer, Group, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { IconAdjustmentsHorizontal, IconCode, IconFlask, IconHistory, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Model, modelQuery } from '../../api/models';
import { useAccount } from '../../shell/account';
import { exactCredits } from '../../ui/numbers';
import { later } from '../../ui/later';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState } from '../../ui/states';
import { WhenOpened } from '../../ui/when-opened';
import { isOpen } from './answer';
import { Composer } from './composer';
import { type Column, type Conversation, costOf, type Image } from './conversation';
import { type Callable, ModelBar } from './model-bar';
import classes from './playground.module.css';
import { areSound, type Settings } from './settings';
import { SettingsPanel } from './settings-panel';
import { TurnView } from './turn-view';
import { useSession } from './use-session';

const CodeDrawer = later(() => import('./code-drawer'));
const ConversationsDrawer = later(() => import('./conversations-drawer'));

const examples = {
  chat: ['Explain tides to a child.', 'Write a haiku about the night train.', 'Which three questions should I ask before I buy a house?'],
  completion: ['Once upon a time', 'The recipe begins with', 'Dear neighbours,'],
};

export interface BenchProps {
  readonly owner: string;
  readonly callable: Callable;
  readonly first: Conversation;
}

/** The conversation, with what it is made with. */
export function Bench({ owner, callable, first }: BenchProps) {
  const [session, conversation] = useSession(owner, first);
  const [environment] = useEnvironment();
  const [listed, list] = useDisclosure(false);
  const [coded, code] = useDisclosure(false);
  const [draft, setDraft] = useState({ text: '', count: 0 });
  const { mode, columns, settings, turns } = conversation;
  const models = useModelsOf(columns);
  const follow = useFollowing(turns);
  const running = turns.some(({ answers }) => answers.some(isOpen));
  const send = useCallback(
    (text: string, images: readonly Image[]) => {
      follow();
      session.send(text, images);
    },
    [session, follow],
  );
  const problem = useMemo(() => problemOf({ columns, mode, settings }), [columns, mode, settings]);
  const stop = useCallback(() => session.stop(), [session]);
  const wide = useMediaQuery('(min-width: 75em)', false, { getInitialValueInEffect: false });
  const [beside, setBeside] = useLocalStorage({
    key: 'switchyard.playground.settings',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const [over, drawer] = useDisclosure(false);
  const changeSettings = useCallback((next: Settings) => session.change({ settings: next }), [session]);
  const panel = <SettingsPanel mode={mode} settings={settings} onChange={changeSettings} />;
  return (
    <Page
      ofEnvironment
      title="Playground"
      description={
        <>
          Answers are charged to the {environment} balance of the account.
          {turns.length > 0 && (
            <>
              {' '}
              This conversation: <span className="numbers">{exactCredits(costOf(conversation))}</span> credits.
            </>
          )}
        </>
      }
      actions={
        <>
          <Button variant="default" leftSection={<IconPlus size={16} />} disabled={turns.length === 0} onClick={session.renew}>
            New
          </Button>
          <Button variant="default" leftSection={<IconHistory size={16} />} onClick={list.open}>
            Conversations
          </Button>
          <Button variant="default" leftSection={<IconCode size={16} />} onClick={code.open}>
            Code
          </Button>
          <Button
            variant="default"
            leftSection={<IconAdjustmentsHorizontal size={16} />}
            aria-expanded={wide ? beside : over}
            onClick={() => (wide ? setBeside(!beside) : drawer.open())}
          >
            Settings
          </Button>
        </>
      }
    >
      <div className={classes.layout} data-settings={(wide && beside) || undefined}>
        <div className={classes.main}>
          <ModelBar models={models} callable={callable} mode={mode} columns={columns} onChange={session.change} />
          <div className={classes.turns}>
            {turns.length === 0 ? (
              <Begin
                about={
                  mode === 'chat' ? 'Several models can answer side by side.' : 'The models go on with a text. Each text stands alone.'
                }
              >
                {examples[mode].map((text) => (
                  <Button key={text} variant="default" size="xs" onClick={() => setDraft(({ count }) => ({ text, count: count + 1 }))}>
                    {text}
                  </Button>
                ))}
              </Begin>
            ) : (
              turns.map((turn, index) => (
                <TurnView
                  key={turn.id}
                  turn={turn}
                  last={index === turns.length - 1}
                  stop={session.stop}
                  retry={session.retry}
                  giveResults={session.giveResults}
                />
              ))
            )}
          </div>
          <VisuallyHidden role="status">{saidOf(conversation, running)}</VisuallyHidden>
          <Composer
            key={`${conversation.id} ${draft.count}`}
            first={draft.text}
            mode={mode}
            running={running}
            problem={problem}
            aboutImages={environment === 'live' ? aboutImages(conversation, models) : undefined}
            onSend={send}
            onStop={stop}
          />
        </div>
        {wide && beside && (
          <Card component="aside" aria-label="Settings" className={classes.settings} padding="md">
            {panel}
          </Card>
        )}
      </div>
      <Drawer opened={!wide && over} onClose={drawer.close} title="Settings">
        {panel}
      </Drawer>
      <WhenOpened opened={listed}>
        <ConversationsDrawer
          opened={listed}
          onClose={list.close}
          owner={owner}
          shown={conversation.id}
          onOpen={session.open}
          onForget={(ids) => ids.includes(conversation.id) && session.renew()}
        />
      </WhenOpened>
      <WhenOpened opened={coded}>
        <CodeDrawer opened={coded} onClose={code.close} conversation={conversation} />
      </WhenOpened>
    </Page>
  );
}

function Begin({ about, children }: { about: string; children: ReactNode }) {
  return (
    <EmptyState icon={IconFlask} title="Try a model" action={<Group justify="center">{children}</Group>}>
      {about}
    </EmptyState>
  );
}

function saidOf({ turns }: Conversation, running: boolean): string {
  if (running) return 'The models are answering.';
  return turns.length === 0 ? '' : 'The answers have ended.';
}

function problemOf({ columns, mode, settings }: Pick<Conversation, 'columns' | 'mode' | 'settings'>): string | undefined {
  if (columns.some(({ model }) => model === '')) return 'Choose a model first.';
  return mode === 'chat' && !areSound(settings) ? 'Some JSON in the settings cannot be read.' : undefined;
}

function aboutImages({ columns }: Conversation, models: readonly Model[]): string | undefined {
  const blind = columns.filter(({ model }) => models.find(({ id }) => id === model)?.capabilities.vision === false);
  return blind.length === 0 ? undefined : `No images are taken by ${blind.map(({ model }) => model).join(', ')}.`;
}

/** What is known of the models that answer. */
function useModelsOf(columns: readonly Column[]): readonly Model[] {
  const { id: account } = useAccount();
  const ids = [...new Set(columns.map(({ model }) => model))].filter((id) => id !== '');
  return useQueries({ queries: ids.map((id) => modelQuery(account, id)), combine: known });
}

const known = (answers: readonly { data: Model | undefined }[]): Model[] => answers.flatMap(({ data }) => data ?? []);

/**
 * Keeps the end in view while it grows, unless the reader has gone elsewhere.
 * @returns begins to
 */
function useFollowing(turns: Conversation['turns']): () => void {
  const following = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      following.current = window.innerHeight + window.scrollY >= scrollHeight - 60;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    if (following.current && turns.length > 0) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [turns]);
  return useCallback(() => {
    following.current = true;
  }, []);
}
