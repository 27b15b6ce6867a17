// Rows of landing as everybody sees them.
import type { CheckEvidence, LandingView } from './landing-shapes.ts';
import type { Queue, StoredEvidence, StoredLanding } from './rows.ts';

export function present(landing: StoredLanding, { project, target }: Queue): LandingView {
  const { queue: _q, taskId, runId, commitId, requestedSeat: _s, rerun: _w, ...rest } = landing;
  return {
    ...rest,
    task: taskId,
    run: runId,
    project,
    target,
    commit: commitId,
    protected: [...rest.protected],
    conflicts: [...rest.conflicts],
    evidence: [...rest.evidence],
  };
}

export function presentEvidence({
  checkName,
  commitId,
  exitCode,
  reused,
  project: _p,
  digest: _d,
  ...rest
}: StoredEvidence): CheckEvidence {
  return {
    ...rest,
    check: checkName,
    by: 'hub',
    commit: commitId,
    exit: exitCode,
    reused: reused !== null,
    failing: [...rest.failing],
  };
}
