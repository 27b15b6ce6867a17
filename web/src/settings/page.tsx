import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Unsent } from '../drafts/unsent.tsx';
import { useHub } from '../frame/hub.ts';
import { chooseTheme, useTheme, type Theme } from '../frame/theme.ts';
import { tellSignedOut } from '../live/session.ts';
import { Section } from '../parts/drawer.tsx';
import { Command, Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead, Switch } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { Attach } from './attach.tsx';

export function SettingsPage(): ReactNode {
  const { data: hub } = useHub();
  const theme = useTheme();
  return (
    <div className="mx-auto w-full max-w-3xl pb-10">
      <PageHead title="Settings">{hub && `Holdfast ${hub.version} at ${hub.address}`}</PageHead>
      <div className="px-4">
        <Section as="h2" title="Attach a client">
          <Attach />
        </Section>
        <Section as="h2" title="This browser">
          <div className="flex flex-col gap-3">
            <div className="flex flex-wrap items-center gap-3">
              <span className="w-28">Theme</span>
              <Switch<Theme>
                label="Theme"
                value={theme}
                options={[
                  ['system', 'As the system'],
                  ['light', 'Light'],
                  ['dark', 'Dark'],
                ]}
                onChange={chooseTheme}
              />
            </div>
            <div className="flex flex-wrap items-center gap-3">
              <span className="w-28">Notifications</span>
              <Notices />
            </div>
            {hub?.isSignedIn && (
              <div className="flex flex-wrap items-center gap-3">
                <span className="w-28">Signed in</span>
                <SignOut />
              </div>
            )}
          </div>
        </Section>
        <Section as="h2" title="Typed and not sent">
          <Unsent />
        </Section>
        <Section as="h2" title="Tokens">
          {hub && (hub.isSignedIn ? <Tokens /> : <SignIn />)}
        </Section>
        <Section as="h2" title="Keep it safe">
          <p className="text-soft mb-2">
            A copy of everything while the hub runs, and back again; or as plain files.
          </p>
          <div className="flex flex-col gap-1">
            <Command text="holdfast backup holdfast-backup.db" />
            <Command text="holdfast restore holdfast-backup.db" />
            <Command text="holdfast export board.ndjson" />
          </div>
        </Section>
      </div>
    </div>
  );
}

/** Everything that was fetched as the person is forgotten with it. */
function SignOut(): ReactNode {
  const out = useMutation({
    mutationFn: () => call('/signout', { method: 'POST' }),
    onSuccess: tellSignedOut,
  });
  return (
    <>
      <button className="button" disabled={out.isPending} onClick={() => out.mutate()}>
        Sign out
      </button>
      <span className="text-meta text-faint">
        In this browser; <code className="font-mono">holdfast open</code> signs in again.
      </span>
      <Refused error={out.error} />
    </>
  );
}

function SignIn(): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">
        Making a token is for the person alone, also on this machine: an agent that can reach the hub must not
        make itself one. Sign this browser in, or use the command line:
      </p>
      <Command text="holdfast open" />
      <Command text="holdfast token create --agent codex --team my-project" />
    </div>
  );
}

function Notices(): ReactNode {
  const [state, setState] = useState(() =>
    'Notification' in window
      ? Notification.permission === 'granted' && localStorage.getItem('notices') === 'off'
        ? 'off'
        : Notification.permission
      : 'missing',
  );
  const choose = async (isOn: boolean) => {
    localStorage.setItem('notices', isOn ? 'on' : 'off');
    setState(isOn ? await Notification.requestPermission() : 'off');
  };
  if (state === 'missing') return <span className="text-soft">This browser has none.</span>;
  if (state === 'denied')
    return (
      <span className="text-soft">
        This browser was told not to show any from this address; its own settings can change that.
      </span>
    );
  return (
    <>
      <button
        className="button"
        aria-pressed={state === 'granted'}
        onClick={() => void choose(state !== 'granted')}
      >
        {state === 'granted' ? 'Switch off' : 'Tell me when somebody waits for me'}
      </button>
      <span className="text-meta text-faint">Only while you look elsewhere, each thing once.</span>
    </>
  );
}

function Tokens(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['tokens'],
    queryFn: () => ask('GET /api/tokens'),
    retry: false,
  });
  const [agent, setAgent] = useState('');
  const stale = () => queryClient.invalidateQueries({ queryKey: ['tokens'] });
  const make = useMutation({
    mutationFn: () => ask('POST /api/tokens', { agent }),
    onSuccess: stale,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => ask('DELETE /api/tokens/:id', { id }),
    onSuccess: stale,
  });
  return (
    <>
      <Refused error={error ?? make.error ?? revoke.error} />
      <form
        className="mb-2 flex gap-2"
        onSubmit={(event) => (event.preventDefault(), agent.trim() !== '' && make.mutate())}
      >
        <input
          className="field w-56"
          aria-label="Name of the agent"
          placeholder="Name of the agent"
          value={agent}
          onChange={({ target }) => setAgent(target.value)}
        />
        <button className="button">Make a token</button>
      </form>
      {make.data && (
        <div className="mb-3">
          <p className="text-soft">It is shown this once:</p>
          <Command text={make.data.token} />
        </div>
      )}
      <ul>
        {data?.tokens.map((token) => (
          <li key={token.id} className="row">
            <span className="font-medium">
              <Foreign text={token.agent} />
            </span>
            <span className="text-soft truncate">
              {[token.team, token.label, token.state].filter((part) => part !== null).join(', ')}
            </span>
            <span className="text-meta text-faint ml-auto">
              {token.usedAt === null ? (
                'never used'
              ) : (
                <>
                  used <Moment at={token.usedAt} />
                </>
              )}
            </span>
            {token.state === 'active' && (
              <button className="button" onClick={() => revoke.mutate(token.id)}>
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
