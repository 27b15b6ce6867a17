import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Unsent } from '../drafts/unsent.tsx';
import { useHub } from '../frame/hub.ts';
import { useKeys } from '../frame/keys.ts';
import { afresh, usePlace, useSetPlace } from '../frame/place.ts';
import { chooseTheme, useTheme, type Theme } from '../frame/theme.ts';
import { tellSignedOut } from '../live/session.ts';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Switch, View } from '../parts/page.tsx';
import { BESIDE_CHOSEN, Pane } from '../parts/pane.tsx';
import { Attach } from './attach.tsx';
import { HubSettings } from './hub-settings.tsx';
import { PARTS, type PartKey } from './parts.ts';
import { Tokens } from './tokens.tsx';

/** What stands under each part. */
const BODIES: Readonly<Record<PartKey, () => ReactNode>> = {
  attach: Attach,
  browser: ThisBrowser,
  hub: HubSettings,
  tokens: OwnTokens,
  drafts: Unsent,
  backup: Backup,
};

export function SettingsPage(): ReactNode {
  const { data: hub } = useHub();
  const { view } = usePlace();
  const parts = PARTS.filter(({ isOfOwner }) => isOfOwner !== true || hub?.isSignedIn === true);
  const part = parts.find(({ key }) => key === view) ?? PARTS[0];
  const Body = BODIES[part.key];
  const step = useStep(
    parts.map(({ key }) => key),
    part.key,
  );
  useKeys('Settings', {
    ']': { does: 'Next part', run: () => step(1) },
    '[': { does: 'Part before', run: () => step(-1) },
  });
  return (
    <View
      title="Settings"
      about={hub && `Holdfast ${hub.version} at ${hub.address}`}
      pair={view === undefined ? 'list' : 'chosen'}
      detail={
        <Pane
          key={part.key}
          label={part.name}
          isChosen={view !== undefined}
          back={{ to: '/settings', name: 'Settings' }}
          head={<h2 className="text-title font-semibold">{part.name}</h2>}
        >
          <div className="max-w-3xl pb-8">
            <Body />
          </div>
        </Pane>
      }
    >
      <ul aria-label="Settings">
        {parts.map(({ key, name, about }) => (
          <li key={key} className="border-line border-b">
            <Link
              to="/settings"
              search={(before) => ({ ...afresh(before), view: key })}
              aria-current={key === part.key ? 'true' : undefined}
              className={`block px-4 py-2 ${key === part.key ? BESIDE_CHOSEN : 'hover:bg-sunken'}`}
            >
              <span className="block font-medium">{name}</span>
              <span className="text-meta text-faint block font-normal">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </View>
  );
}

function useStep(keys: readonly string[], key: string): (by: number) => void {
  const setPlace = useSetPlace();
  return (by) => {
    const next = keys[Math.max(0, Math.min(keys.length - 1, keys.indexOf(key) + by))];
    setPlace({ view: next }, true);
  };
}

function ThisBrowser(): ReactNode {
  const { data: hub } = useHub();
  const theme = useTheme();
  return (
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
      <div className="flex flex-wrap items-center gap-3">
        <span className="w-28">Signed in</span>
        {hub?.isSignedIn ? <SignOut /> : <span className="text-soft">No. The command is under Tokens.</span>}
      </div>
    </div>
  );
}

function OwnTokens(): ReactNode {
  const { data: hub } = useHub();
  if (!hub) return <Skeleton rows={3} />;
  return hub.isSignedIn ? <Tokens /> : <SignIn />;
}

function Backup(): ReactNode {
  return (
    <>
      <p className="text-soft mb-2">
        A copy of everything while the hub runs, and back again; or as plain files.
      </p>
      <div className="flex flex-col gap-1">
        <Command text="holdfast backup holdfast-backup.db" />
        <Command text="holdfast restore holdfast-backup.db" />
        <Command text="holdfast export board.ndjson" />
      </div>
    </>
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
