import { startBin, type StartedBin } from '../fixtures/started-bin.ts';

/** The demo as a process of its own; its agents stay still, so that what is seen is what was told. */
export function startDemo(): Promise<StartedBin> {
  const { PATH, HOME } = process.env;
  return startBin(['holdfast', 'demo', '--still', '--json', '--port', '0'], { PATH, HOME });
}
