import { VERSION } from '../../../kernel/version.ts';
import type { Agent } from '../agents/agents.ts';

/**
 * The agent card: one agent, the hub, whose skills are the agents it can call. Told to anyone, so it says
 * nothing of this machine; a stranger is shown no agents.
 */
export function agentCard(agents: readonly Agent[], address: string): object {
  return {
    name: 'Holdfast',
    description: 'A local hub that hands work to the coding agents of one machine.',
    version: VERSION,
    supportedInterfaces: [
      { url: `${address}/a2a`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false, extensions: [] },
    securitySchemes: {
      hub: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'The hub token or an agent token.' } },
    },
    securityRequirements: [{ schemes: { hub: { list: [] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: agents
      .filter(({ callable }) => callable)
      .map(({ instance, family, settings }) => ({
        id: instance,
        name: instance,
        description: `Hands the message to ${instance} (${family}). Choose it with metadata.agent.`,
        tags: [family, ...settings.tags],
        examples: [],
        inputModes: ['text/plain'],
        outputModes: ['text/plain'],
        securityRequirements: [],
      })),
    signatures: [],
  };
}
