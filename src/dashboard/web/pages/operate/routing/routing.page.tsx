import { Card, Grid } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { catalogue, useFound } from '../../../api/find';
import { intoView } from '../../../ui/into-view';
import { Answered } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import { EmptyState, ErrorState } from '../../../ui/states';
import { Answer } from './answer';
import { QuestionForm } from './question';
import { useTryout } from './routing.api';

/** Tells where a request would go, and why. */
export default function RoutingPage() {
  const models = useFound(catalogue);
  const tryout = useTryout();
  return (
    <Page
      title="Routing try-out"
      description="Where would this request go, and why? Nothing is sent, held or counted; breakers, queues and speeds are those of the process that answers."
    >
      <Answered query={models}>
        {() => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
              <QuestionForm onAsk={(question) => tryout.mutate(question)} pending={tryout.isPending} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 7, lg: 8 }} aria-live="polite">
              {tryout.isError ? (
                <Card padding={0}>
                  <ErrorState error={tryout.error} />
                </Card>
              ) : tryout.data ? (
                <div ref={intoView} key={tryout.submittedAt}>
                  <Answer tryout={tryout.data} />
                </div>
              ) : (
                <Card padding={0}>
                  <EmptyState icon={IconRoute} title="Describe a request">
                    You see which offers would be asked in which order, which would not be and why, and what would be held.
                  </EmptyState>
                </Card>
              )}
            </Grid.Col>
          </Grid>
        )}
      </Answered>
    </Page>
  );
}
