// A clock that somebody sets: by libfaketime, which the system's own calls are answered by, else inside Node. What has passed goes on
// as it does, as on a machine whose time is set.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../src/kernel/clock.ts';

export type SetClock = Readonly<{
  env: NodeJS.ProcessEnv;
  means: 'libfaketime' | 'inside Node';
  jump(seconds: number, ms: number): Promise<void>;
}>;

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
);
/** How late a process may read that it was set. */
const READ_MS = 250;

export function setClock(folder: string): SetClock {
  const file = join(folder, 'clock');
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`);
  set(0);
  const library = LIBRARIES.find((path) => existsSync(path));
  const jump = async (seconds: number, ms: number): Promise<void> => {
    set(seconds);
    await pause(ms);
    set(0);
  };
  if (library === undefined)
    return { env: { NODE_OPTIONS: `--import=${shim(file)}` }, means: 'inside Node', jump };
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, means: 'libfaketime', jump };
}

function shim(file: string): string {
  const script = `
    import { readFileSync } from 'node:fs';
    const real = Date.now, Real = Date;
    let ahead = 0;
    setInterval(() => { try { ahead = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) * 1000 || 0; } catch {} }, ${READ_MS}).unref();
    globalThis.Date = class Date extends Real {
      constructor(...given) { given.length === 0 ? super(real() + ahead) : super(...given); }
      static now() { return real() + ahead; }
    };`;
  return `data:text/javascript,${encodeURIComponent(script)}`;
}
