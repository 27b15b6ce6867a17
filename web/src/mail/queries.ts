import { useMutation, useQuery } from '@tanstack/react-query';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';

export function useMail(state?: 'expired') {
  return useQuery({
    queryKey: ['mail', state ?? 'all'],
    queryFn: () => ask('GET /api/mail', { limit: 300, state }),
  });
}

export function useSend() {
  return useMutation({
    mutationFn: (letter: { to: string; text: string; replyTo?: string }) => ask('POST /api/mail', letter),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['mail'] }),
  });
}
