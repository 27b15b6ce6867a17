/** A board of a size that people fear, as the lines of an archive: quick to bring in, and the same each time. */
export function manyTasks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => JSON.stringify(taskAt(at)));
}

const STATUSES = ['backlog', 'todo', 'todo', 'cancelled'] as const;

function taskAt(at: number) {
  const made = 1_700_000_000_000 + at;
  return {
    type: 'task',
    id: `01890000-0000-7000-8000-${String(at).padStart(12, '0')}`,
    title: `Task ${at}`,
    status: STATUSES[at % STATUSES.length]!,
    priority: 0,
    description: null,
    teamId: null,
    assigneeAgentId: null,
    assigneeRuntime: null,
    parentTaskId: null,
    sourceDelegationId: null,
    worktreeRef: null,
    branchRef: null,
    parentSessionId: null,
    tenantId: null,
    createdAt: made,
    updatedAt: made,
    completedAt: null,
    claimedAt: null,
    verification: null,
    leaseUntil: null,
    fence: 0,
    revision: 0,
    depth: 1,
    costUsd: 0,
    scheduledBy: 'manual',
  };
}
