// `land:` of config.yaml, by the id of the project: who lets something land, and how. Only here, never in a repository: an
// agent writes there.
import { bad, flagAt, numberAt, objectAt, oneOf, refuseUnknown, textAt, textsAt } from './setting-values.ts';

const HOWS = ['merge', 'rebase', 'squash'] as const;
const APPROVERS = ['person', 'checks'] as const;
const SOLVERS = ['owner', 'run'] as const;

export type LandSettings = Readonly<{
  approve: (typeof APPROVERS)[number];
  how: (typeof HOWS)[number];
  /** Candidates that are tested together. */
  batch: number;
  /** Paths that a person lets through, beside those that always are. */
  protect: readonly string[];
  /** Checks run although nothing keeps them in. */
  unconfined: boolean;
  /** Who gets a conflict: whoever has the task, or a new run of the agent whose branch it is. */
  onConflict: (typeof SOLVERS)[number];
  /** The remote that the target is pushed to; undefined: nothing is pushed. */
  push: string | undefined;
}>;

const DEFAULTS: LandSettings = {
  approve: 'person',
  how: 'merge',
  batch: 8,
  protect: [],
  unconfined: false,
  onConflict: 'owner',
  push: undefined,
};
const MOST_BATCH = 64;

export function readLand(value: unknown): Readonly<Record<string, LandSettings>> {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(
    Object.entries(objectAt('land', value)).map(([project, given]) => {
      const at = `land.${project}`;
      const entry = objectAt(at, given);
      refuseUnknown(at, entry, Object.keys(DEFAULTS));
      const read = <K extends keyof LandSettings>(
        name: K,
        how: (at: string, value: unknown) => LandSettings[K],
      ) => (entry[name] === undefined ? {} : { [name]: how(`${at}.${name}`, entry[name]) });
      return [
        project,
        {
          ...DEFAULTS,
          ...read('approve', (where, one) => oneOf(where, one, APPROVERS)),
          ...read('how', (where, one) => oneOf(where, one, HOWS)),
          ...read('batch', (where, one) =>
            Math.min(MOST_BATCH, Math.max(1, Math.floor(numberAt(where, one)))),
          ),
          ...read('protect', textsAt),
          ...read('unconfined', flagAt),
          ...read('onConflict', (where, one) => oneOf(where, one, SOLVERS)),
          ...read('push', remoteAt),
        },
      ];
    }),
  );
}

/** A name of a remote: nothing that git could take for an option or an address. */
function remoteAt(at: string, value: unknown): string {
  const name = textAt(at, value);
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(name)) return name;
  throw bad(at, 'the name of a remote, such as origin', value);
}

export function landSettingsOf(land: Readonly<Record<string, LandSettings>>, project: string): LandSettings {
  return (Object.hasOwn(land, project) ? land[project] : undefined) ?? land['*'] ?? DEFAULTS;
}
