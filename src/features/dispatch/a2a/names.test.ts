import { expect, it } from 'vitest';
import { inCamelCase } from './names.ts';

it('names fields in camel case in every message, and nothing in what is free of form', () => {
  const free = { some_key: { other_key: 1 } };
  const given = {
    message: {
      task_id: 't',
      reference_task_ids: ['a_b'],
      parts: [{ media_type: 'x', data: free }],
      metadata: free,
    },
    configuration: { task_push_notification_config: { url: 'u' } },
    metadata: free,
    plain: null,
  };
  expect(inCamelCase(given)).toEqual({
    message: {
      taskId: 't',
      referenceTaskIds: ['a_b'],
      parts: [{ mediaType: 'x', data: free }],
      metadata: free,
    },
    configuration: { taskPushNotificationConfig: { url: 'u' } },
    metadata: free,
    plain: null,
  });
  expect(() => inCamelCase({ task_id: 'a', taskId: 'b' })).toThrow('both of its spellings');
});
