import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { type Model, useModels } from '../../api/models';
import { useAccount } from '../../shell/account';
import { Page } from '../../ui/page';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Bench } from './bench';
import { type Conversation, newConversation, newId } from './conversation';
import { firstFor } from './model-bar';
import { useLast, useOwner } from './use-session';

/** Models are tried here: the same prompt for several of them, with what each answer took and cost. */
export default function PlaygroundPage() {
  const { id: account, role } = useAccount();
  const owner = useOwner();
  const models = useModels(account);
  const last = useLast(owner);
  if (role === 'viewer')
    return (
      <Page title="Playground">
        <EmptyState icon={IconLock} title="Viewers do not generate">
          Answers are charged to the account, and your role in it lets you read only. An owner of the account can make you a developer.
        </EmptyState>
      </Page>
    );
  if (models.isError && !models.data)
    return (
      <Page ofEnvironment title="Playground">
        <ErrorState error={models.error} retry={() => void models.refetch()} />
      </Page>
    );
  if (!models.data || last.isPending)
    return (
      <Page ofEnvironment title="Playground">
        <RowsLoading rows={3} height={120} />
      </Page>
    );
  return <Begun owner={owner} models={models.data} last={last.data ?? null} />;
}

function Begun({ owner, models, last }: { owner: string; models: readonly Model[]; last: Conversation | null }) {
  const [params] = useSearchParams();
  const [first] = useState(() => {
    const wanted = params.get('model');
    if (last && wanted === null) return last;
    const mode = models.find(({ id }) => id === wanted)?.capabilities.chat === false ? 'completion' : 'chat';
    return { ...newConversation(), mode, columns: [{ id: newId(), model: wanted ?? firstFor(models, mode) }] } satisfies Conversation;
  });
  return <Bench owner={owner} models={models} first={first} />;
}
