import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { modelQuery, useCallable } from '../../api/models';
import { useAccount } from '../../shell/account';
import { Page } from '../../ui/page';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Bench, type BenchProps } from './bench';
import { type Conversation, newConversation, newId } from './conversation';
import { useLast, useOwner } from './use-session';

/** Models are tried here: the same prompt for several of them, with what each answer took and cost. */
export default function PlaygroundPage() {
  const { id: account, role } = useAccount();
  const owner = useOwner();
  const chat = useCallable(account, 'chat');
  const completion = useCallable(account, 'completion');
  const [params] = useSearchParams();
  const wanted = params.get('model');
  const asked = useQuery({ ...modelQuery(account, wanted ?? ''), enabled: wanted !== null });
  const last = useLast(owner);
  if (role === 'viewer')
    return (
      <Page title="Playground">
        <EmptyState icon={IconLock} title="Viewers do not generate">
          Answers are charged to the account, and your role in it lets you read only. An owner of the account can make you a developer.
        </EmptyState>
      </Page>
    );
  const failed = [chat, completion].filter(({ isError, data }) => isError && !data);
  if (failed[0]?.error)
    return (
      <Page ofEnvironment title="Playground">
        <ErrorState error={failed[0].error} retry={() => failed.forEach(({ refetch }) => void refetch())} />
      </Page>
    );
  if (!chat.data || !completion.data || last.isPending || (wanted !== null && asked.isPending))
    return (
      <Page ofEnvironment title="Playground">
        <RowsLoading rows={3} height={120} />
      </Page>
    );
  const callable = { chat: chat.data, completion: completion.data };
  const mode = asked.data?.capabilities.chat === false ? 'completion' : 'chat';
  const first = (): Conversation =>
    last.data && wanted === null
      ? last.data
      : { ...newConversation(), mode, columns: [{ id: newId(), model: wanted ?? callable[mode][0] ?? '' }] };
  return <Begun owner={owner} callable={callable} first={first} />;
}

function Begun({ first: begin, ...props }: Omit<BenchProps, 'first'> & { first: () => Conversation }) {
  const [first] = useState(begin);
  return <Bench {...props} first={first} />;
}
