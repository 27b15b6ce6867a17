import { expect, it } from 'vitest';
import { readRoute } from './route-text.ts';

it.each([
  ['GET /api/kelp', { method: 'GET', path: '/api/kelp', inPath: [], inQuery: [] }],
  [
    'POST /api/beds/:bedId/kelp/:id/cut',
    { method: 'POST', path: '/api/beds/:bedId/kelp/:id/cut', inPath: ['bedId', 'id'], inQuery: [] },
  ],
  ['DELETE /api/kelp/:id?now', { method: 'DELETE', path: '/api/kelp/:id', inPath: ['id'], inQuery: ['now'] }],
  [
    'PUT /api/kelp?now&quietly',
    { method: 'PUT', path: '/api/kelp', inPath: [], inQuery: ['now', 'quietly'] },
  ],
])('%s says where its fields stand', (text, read) => expect(readRoute(text)).toEqual(read));
