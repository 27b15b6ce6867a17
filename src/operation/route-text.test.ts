import { expect, it } from 'vitest';
import { readRoute } from './route-text.ts';

it.each([
  ['GET /api/kelp', { method: 'GET', path: '/api/kelp', inPath: [], inQuery: [], whole: undefined }],
  [
    'POST /api/beds/:bedId/kelp/:id/cut',
    {
      method: 'POST',
      path: '/api/beds/:bedId/kelp/:id/cut',
      inPath: ['bedId', 'id'],
      inQuery: [],
      whole: undefined,
    },
  ],
  [
    'DELETE /api/kelp/:id?now',
    { method: 'DELETE', path: '/api/kelp/:id', inPath: ['id'], inQuery: ['now'], whole: undefined },
  ],
  [
    'PUT /api/kelp?now&quietly',
    { method: 'PUT', path: '/api/kelp', inPath: [], inQuery: ['now', 'quietly'], whole: undefined },
  ],
  [
    'PUT /api/kelp/:id {bed}',
    { method: 'PUT', path: '/api/kelp/:id', inPath: ['id'], inQuery: [], whole: 'bed' },
  ],
])('%s says where its fields stand', (text, read) => expect(readRoute(text)).toEqual(read));
