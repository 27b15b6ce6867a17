import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { HeldLines } from '../approvals/held-line.tsx';
import { useUnseen } from '../trouble/trouble.ts';
import { Header } from './header.tsx';
import { useKeys, type Keys } from './keys.ts';
import { later } from './later.ts';
import { LiveLine } from './live-line.tsx';
import { useNotices } from './notices.ts';
import { afresh, useOpenTask, usePlace, useProject, useView } from './place.ts';
import { Rail } from './rail.tsx';
import { Tabs } from './tabs.tsx';
import { chooseTheme, isDark } from './theme.ts';
import { awaitBox } from './typed-ahead.ts';
import { VIEWS } from './views.ts';
import { useWaiting } from './use-waiting.ts';

const TaskDrawer = lazy(later(async () => ({ default: (await import('../board/drawer.tsx')).TaskDrawer })));
const Palette = lazy(later(async () => ({ default: (await import('./palette.tsx')).Palette })));
const KeyHelp = lazy(later(async () => ({ default: (await import('./key-help.tsx')).KeyHelp })));

export function Frame(): ReactNode {
  const [over, setOver] = useState<'palette' | 'keys' | undefined>();
  const [openTask, setOpenTask] = useOpenTask();
  const navigate = useNavigate();
  const project = useProject();
  const waiting = useWaiting(project);
  const unseen = useUnseen(project);
  const view = useView();
  const isFull = usePlace().full !== undefined && openTask !== undefined;
  useNotices(waiting, unseen);

  const search = useCallback(() => (awaitBox(), setOver('palette')), []);
  const keys = useMemo<Keys>(() => {
    const jumps = VIEWS.map(
      ({ to, name, key }) =>
        [`g ${key}`, { does: `Go to ${name}`, run: () => void navigate({ to, search: afresh }) }] as const,
    );
    return {
      'mod+k': { does: 'Search or jump', run: search },
      '?': { does: 'These keys', run: () => setOver('keys') },
      D: { does: 'Light or dark', run: () => chooseTheme(isDark() ? 'light' : 'dark') },
      ...Object.fromEntries(jumps),
    };
  }, [navigate, search]);
  useKeys('Everywhere', keys);

  useEffect(() => {
    document.title = `${waiting.count > 0 ? `(${waiting.count}) ` : ''}${view?.name ?? 'Not found'} · Holdfast`;
  }, [view, waiting.count]);

  return (
    <div className="flex h-full flex-col-reverse sm:flex-row">
      <a href="#content" className="bg-raised sr-only z-50 p-2 focus:not-sr-only focus:absolute">
        Skip to the content
      </a>
      <Rail />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Header waiting={waiting.count} wrong={unseen.length} onSearch={search} />
        <Tabs />
        <LiveLine />
        <div className="@container/view relative flex min-h-0 flex-1">
          <main
            id="content"
            tabIndex={-1}
            className={`flex min-h-0 min-w-0 flex-1 flex-col overflow-auto outline-none ${isFull ? 'hidden' : ''}`}
          >
            <Outlet />
          </main>
          {openTask !== undefined && (
            <Suspense>
              <TaskDrawer
                key={openTask}
                id={openTask}
                onClose={() => setOpenTask(undefined)}
                onOpen={setOpenTask}
              />
            </Suspense>
          )}
        </div>
        <HeldLines />
      </div>
      <Suspense>
        {over === 'palette' && <Palette onClose={() => setOver(undefined)} onKeys={() => setOver('keys')} />}
        {over === 'keys' && <KeyHelp onClose={() => setOver(undefined)} />}
      </Suspense>
    </div>
  );
}
