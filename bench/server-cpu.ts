// CPU of a PostgreSQL server on this machine: what its clients ask is work, whoever does it.
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

export type ServerCpu = Readonly<{
  /** In microseconds: of all its processes, those that have ended included. */
  cpu(): number;
  close(): Promise<void>;
}>;

const TICK_US = 10_000;

export async function watchServer(url: string): Promise<ServerCpu> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const parent = parentOf(rows[0]!.pid);
  return {
    cpu() {
      const children = readdirSync('/proc').filter(
        (pid) => /^\d+$/.test(pid) && parentOf(Number(pid)) === parent,
      );
      const living = [...children, String(parent)].reduce((sum, pid) => sum + nanosecondsOf(pid) / 1_000, 0);
      const [ended, endedInside] = statOf(parent).slice(13, 15).map(Number) as [number, number];
      return living + (ended + endedInside) * TICK_US;
    },
    close: () => client.end(),
  };
}

/** The fields of /proc/PID/stat from the third on, so that the name may hold anything. */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return [];
  }
}

const parentOf = (pid: number): number => Number(statOf(pid)[1]);

function nanosecondsOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}
