import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../parts/empty.tsx';
import { GROUPS } from './views.ts';

/** An address that leads nowhere, with where else to go. */
export function NotFound(): ReactNode {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <Empty
      isPage
      title="There is nothing at this address"
      action={
        <>
          <Link to="/" className="button button-main">
            Go to Now
          </Link>
          {GROUPS.slice(1).map(({ name, views }) => (
            <Link key={name} to={views[0].to} className="button">
              {name}
            </Link>
          ))}
        </>
      }
    >
      <code className="font-mono break-all">{path}</code> is no view of this page. It may have been mistyped,
      or what it led to is gone. The box at the top <kbd className="key">Ctrl K</kbd> finds everything there
      is.
    </Empty>
  );
}
