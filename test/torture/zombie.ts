import { stdioPeer } from './peer.ts';

/** Claims a task, and tries to finish it when it is told to, which it may hear late. */
const call = stdioPeer(process.argv[2]!, 'zombie');
const { structuredContent } = await call('claim_next_task', { assigneeAgentId: 'zombie' });
process.send!({ taskId: structuredContent.task.id, fence: structuredContent.task.fence });
process.once('message', () => {
  void call('update_task_status', { taskId: structuredContent.task.id, status: 'done' }).then(
    ({ isError, structuredContent: answer }) => process.send!({ isError, code: answer.code }),
  );
});
