// What the system says when a file cannot be read or written, in words: said once, for every command and every room.

const FULL = 'the disk is full';
const FORBIDDEN = 'you may not do that there';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: 'your share of the disk is used up',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reported an error',
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EFBIG: 'the file would be too large',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  SQLITE_FULL: FULL,
};

/** What no caller did wrong and none can mend: the disk itself. */
const OF_THE_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** `ENOSPC: the disk is full`, to stand in brackets behind what could not be done. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === '') return 'unknown reason';
  return Object.hasOwn(REASONS, code) ? `${code}: ${REASONS[code]}` : code;
}

/** Undefined unless the disk is what keeps the hub from doing its work. */
export function diskFault(error: unknown): string | undefined {
  const code = codeOf(error);
  return OF_THE_DISK.has(code) ? REASONS[code] : undefined;
}

/** One sentence for what a call to the system threw about a file; undefined for everything else. */
export function fileFault(error: unknown): string | undefined {
  const code = codeOf(error);
  if (!Object.hasOwn(REASONS, code)) return undefined;
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  if (syscall?.startsWith('spawn')) return undefined;
  return `${dest ?? path ?? 'A file'} cannot be used (${reasonOf(error)}).`;
}

/** What the system, a database or a library calls a failure; empty where it has no name for it. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
