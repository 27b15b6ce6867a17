// What one can do on the board, by tool and by route; the order is that of the tool lists. What only people need, over HTTP
// alone, stands in `operations/people.ts` and `operations/transfer.ts`.
import {
  assignTask,
  assignTaskTo,
  claimNextTask,
  claimTask,
  heartbeatTask,
  releaseTask,
} from './operations/claims.ts';
import {
  addCheck,
  addComment,
  commentOnTask,
  linkTask,
  listEvidence,
  submitEvidence,
  unlinkTask,
} from './operations/details.ts';
import {
  blockTask,
  createSubtask,
  createTask,
  dropTask,
  getTask,
  listTasks,
  unblockTask,
  updateTask,
  updateTaskStatus,
} from './operations/tasks.ts';

export const boardOperations = [
  listTasks,
  getTask,
  createTask,
  createSubtask,
  updateTaskStatus,
  blockTask,
  unblockTask,
  addComment,
  commentOnTask,
  linkTask,
  claimTask,
  assignTask,
  assignTaskTo,
  releaseTask,
  claimNextTask,
  heartbeatTask,
  updateTask,
  dropTask,
  unlinkTask,
  addCheck,
  submitEvidence,
  listEvidence,
] as const;
