import type { ReactNode } from 'react';
import { Refused } from '../parts/empty.tsx';
import { useLogin } from './one.ts';

/** Begins a login: the page of the server that a person has to visit, which opens beside this one. */
export function Login({ name }: Readonly<{ name: string }>): ReactNode {
  const login = useLogin(name);
  const page = login.data?.page ?? undefined;
  const host = page === undefined ? undefined : hostOf(page);
  return (
    <>
      {host === undefined ? (
        <button className="button" disabled={login.isPending} onClick={() => login.mutate()}>
          {login.isPending ? 'Asking…' : 'Log in'}
        </button>
      ) : (
        <a className="button button-main" href={page} target="_blank" rel="noopener noreferrer">
          Log in at {host}
        </a>
      )}
      {login.data && host === undefined && (
        <span className="text-soft">
          {page === undefined ? 'It is logged in.' : 'It names no web page to log in at.'}
        </span>
      )}
      <Refused error={login.error} />
    </>
  );
}

/** A server may name anything as the page of its login: only web pages are gone to, and the button says whose. */
function hostOf(page: string): string | undefined {
  const url = URL.parse(page);
  return url && /^https?:$/.test(url.protocol) ? url.host : undefined;
}
