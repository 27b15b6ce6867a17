import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/call.ts';
import { settleReader } from '../drafts/drafts.ts';

/** What this hub has: the page asks for nothing that is not there or not for it to see. */
export function useHub() {
  return useQuery({
    queryKey: ['hub'],
    queryFn: async () => {
      const facts = await ask('GET /api/page');
      settleReader(facts.reader);
      return facts;
    },
  });
}

export function useHasRoom(room: string): boolean | undefined {
  return useHub().data?.rooms.includes(room);
}
