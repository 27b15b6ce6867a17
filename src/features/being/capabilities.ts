// What bridges can do for a Being. A bridge registers with the Being's own token, so it cannot register for another.
import { newId } from '../../kernel/ids.ts';
import { clean, requireBeing, tell } from './parts.ts';
import { type CapabilityRow, deleteCapability, putCapability } from './rows/messages.ts';
import type { Held } from './rows/whose.ts';
import { notFound } from './rules.ts';
import { showCapabilities } from './view.ts';

/** A bridge that is silent for longer is not there; it registers again to stay. */
export const DEFAULT_TTL = 90;

export type BridgeRegistration = Readonly<{
  bridge: string;
  capabilities: readonly Readonly<Pick<CapabilityRow, 'type' | 'name' | 'description'>>[];
  ttlSeconds?: number | undefined;
}>;

export async function registerCapabilities(self: Held, registration: BridgeRegistration) {
  const { bridge, capabilities, ttlSeconds = DEFAULT_TTL } = registration;
  const { now } = self.tx;
  await requireBeing(self);
  for (const { type, name, description } of capabilities) {
    const said = description.trim() === '' ? '' : clean(description, 'description');
    const times = { seenUntil: now + ttlSeconds * 1000, createdAt: now };
    await putCapability(self, { id: newId(), bridge, type, name, description: said, ...times });
  }
  tell(self, 'capabilities_registered', { count: capabilities.length });
  return (await showCapabilities(self, now)).filter((row) => row.bridge === bridge);
}

export async function removeCapability(self: Held, id: string): Promise<void> {
  if ((await deleteCapability(self, id)) === 0) throw notFound('capability', id);
  tell(self, 'capability_removed');
}
