/**
 * The only code that runs before the Node version is known to be good enough. It imports nothing and uses
 * nothing newer than dynamic import, so that an old Node prints one line instead of a syntax error.
 */
type Versions = Readonly<{ node?: string; napi?: string }>;

/** better-sqlite3 is built for Node-API 10 and crashes the process below it. */
const NEEDS = { major: 22, minor: 14, napi: 10 };

export function runtimeProblem(name: string, versions: Versions): string | undefined {
  const parts = String(versions.node).split('.');
  const major = Number(parts[0]);
  const isNewEnough = major > NEEDS.major || (major === NEEDS.major && Number(parts[1]) >= NEEDS.minor);
  if (isNewEnough && Number(versions.napi) >= NEEDS.napi) return undefined;
  const wanted = `${NEEDS.major}.${NEEDS.minor} or newer${isNewEnough ? ` with Node-API ${NEEDS.napi}` : ''}`;
  return `${name} needs Node.js ${wanted}, and this is ${String(versions.node)} (${process.execPath}). Install a newer one from https://nodejs.org and try again.`;
}

export function launch(name: string, load: () => Promise<unknown>): void {
  const problem = runtimeProblem(name, process.versions);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
    return;
  }
  load().catch(async (error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(`${name}: ${(await import('./explain.ts')).explain(error)}\n`);
  });
}
