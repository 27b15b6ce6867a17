/** A board of a size that people fear, as the lines of an archive: quick to bring in, and the same each time. */
export function manyTasks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => JSON.stringify(taskAt(at)));
}

/** All columns, as full as those of a board that people work with. */
const STATUSES = [
  'backlog',
  'todo',
  'todo',
  'in_progress',
  'in_review',
  'backlog',
  'done',
  'blocked',
  'todo',
  'cancelled',
] as const;
const HELD: ReadonlySet<string> = new Set(['in_progress', 'in_review', 'blocked', 'done']);
const AGENTS = ['claude-code', 'codex', 'gemini'] as const;

function taskAt(at: number) {
  const made = 1_700_000_000_000 + at;
  const status = STATUSES[at % STATUSES.length]!;
  const isHeld = HELD.has(status);
  return {
    type: 'task',
    id: `01890000-0000-7000-8000-${String(at).padStart(12, '0')}`,
    title: `Task ${at}`,
    status,
    priority: 0,
    description: null,
    teamId: null,
    assigneeAgentId: isHeld ? AGENTS[Math.floor(at / 10) % AGENTS.length]! : null,
    assigneeRuntime: null,
    parentTaskId: null,
    sourceDelegationId: null,
    worktreeRef: null,
    branchRef: null,
    parentSessionId: null,
    tenantId: null,
    createdAt: made,
    updatedAt: made,
    completedAt: status === 'done' ? made : null,
    claimedAt: isHeld ? made : null,
    verification: null,
    leaseUntil: null,
    fence: isHeld ? 1 : 0,
    revision: 0,
    depth: 1,
    costUsd: 0,
    scheduledBy: 'manual',
  };
}
