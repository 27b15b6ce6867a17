/** What the package offers to other programs: the documented servers, the database under them, and requests with the right headers. */
export { createMemoryServer, createTasksServer, createTeamChatServer, createToolsServer } from './standalone.ts';
export type { BoundIdentity, BoundScope, StandaloneServer } from './standalone.ts';
export { buildMcpRequest, HEADER_MCP_METHOD, HEADER_MCP_NAME } from './mcp/request.ts';
/** The same under the names the gateway's document gives them. */
export { HEADER_MCP_METHOD as HeaderMcpMethod, HEADER_MCP_NAME as HeaderMcpName } from './mcp/request.ts';
export type { MessageTransport } from './mcp/hosts/message-transport.ts';
export type { EmbedFunction } from './recall/vectors/embed-function.ts';
export type { EmbeddingSettings } from './recall/vectors/provider.ts';
export { openDatabase } from './store/open.ts';
export type { Database } from './store/database.ts';
