import { useMutation, useQuery } from '@tanstack/react-query';
import type { MailPage } from '../../../src/features/peers/person-routes.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';

export function useMail(state?: 'expired') {
  return useQuery({
    queryKey: ['mail', state ?? 'all'],
    queryFn: () => call<MailPage>(`/api/mail?limit=300${state ? `&state=${state}` : ''}`),
  });
}

export function useSend() {
  return useMutation({
    mutationFn: (body: { to: string; text: string; replyTo?: string }) =>
      call('/api/mail', { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['mail'] }),
  });
}
