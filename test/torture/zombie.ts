import { stdioPeer } from './peer.ts';

/** Claims a task, is stopped while it thinks, and tries to finish when it wakes up. */
const call = stdioPeer(process.argv[2]!, 'zombie');
const { structuredContent } = await call('claim_next_task', { assigneeAgentId: 'zombie' });
process.send!({ taskId: structuredContent.task.id, fence: structuredContent.task.fence });
setTimeout(() => {
  void call('update_task_status', { taskId: structuredContent.task.id, status: 'done' }).then(({ isError, structuredContent: answer }) =>
    process.send!({ isError, code: answer.code }),
  );
}, 500);
