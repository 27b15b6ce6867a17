import { HubError } from '../../kernel/errors.ts';

/** No later try finds another database. */
const FOR_GOOD = { retryable: false } as const;

/** The refusals to open a database, one wording for both engines. None of them changes anything. */
export function newerSchema(found: number, known: number): HubError {
  return new HubError(
    'unavailable',
    `The database has schema ${found}, this program knows only up to ${known}.`,
    {
      ...FOR_GOOD,
      hint: 'Upgrade Holdfast, or point it at another database. Nothing was changed.',
    },
  );
}

export function tooOldSchema(found: number, first: number): HubError {
  return new HubError(
    'unavailable',
    `The database has schema ${found}, which is older than the first this program knows, ${first}.`,
    {
      ...FOR_GOOD,
      hint: 'Export it with the version that made it and import that here, or start with a new file. Nothing was changed.',
    },
  );
}

export function foreignDatabase(where: string): HubError {
  return new HubError('unavailable', `${where} belongs to another program.`, {
    ...FOR_GOOD,
    hint: 'Point Holdfast at a new file or schema; if it was ours once, restore a backup over it. Nothing was changed.',
  });
}

export function foreignEncoding(encoding: string): HubError {
  return new HubError('unavailable', `The PostgreSQL database stores text as ${encoding}, not as UTF8.`, {
    ...FOR_GOOD,
    hint: "Make one with `create database holdfast encoding 'UTF8' template template0`. Nothing was changed.",
  });
}

export function corruptDatabase(where: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${where} is damaged and was not opened.`, {
    ...FOR_GOOD,
    hint: 'Restore a backup with `holdfast restore`, or move the file away to start afresh. Nothing was changed.',
  }).because(cause);
}
