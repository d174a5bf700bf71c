import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Route, Router, Switch } from 'wouter';
import { Failure } from './api/failure';
import { end, sessionQuery } from './api/session';
import { pages } from './pages';
import { PagesContext } from './shell/page-entry';
import { Shell } from './shell/shell';
import { theme } from './theme/theme';
import { ErrorBoundary } from './ui/error-boundary';
import { later } from './ui/later';
import { Notices } from './ui/notify';
import { PageLoading } from './ui/states';

const SignIn = later(() => import('./sign-in/sign-in.page'), <PageLoading />);
const Invitation = later(() => import('./sign-in/invitation.page'), <PageLoading />);

const onError = (error: Error): void => {
  if (!(error instanceof Failure) || !client.getQueryData(sessionQuery.queryKey)) return;
  if (error.status === 401 && error.code !== 'invalid_credentials') end(client);
  // Somebody may have given the person another role, or removed them from the account.
  if (error.status === 403 || error.status === 404) void client.invalidateQueries(sessionQuery);
};

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // A gateway at hand answers without the internet too, of which browsers tell: reads and changes do not wait for it.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: (count, error) => count < 2 && error instanceof Failure && (error.status === 0 || error.status === 503),
    },
  },
});

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// What locks scrolling behind a dialog makes its style with this.
Object.assign(globalThis, { __webpack_nonce__: nonce });

export function App() {
  return (
    <QueryClientProvider client={client}>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <Notices />
        <ErrorBoundary>
          <Router base="/dashboard">
            <Switch>
              <Route path="/sign-in" component={SignIn} />
              <Route path="/invitations/:token" component={Invitation} />
              <Route>
                <PagesContext value={pages}>
                  <Shell />
                </PagesContext>
              </Route>
            </Switch>
          </Router>
        </ErrorBoundary>
      </MantineProvider>
    </QueryClientProvider>
  );
}
