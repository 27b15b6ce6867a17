// `npm run test:clients`: the real Claude Code, Codex, Gemini CLI, OpenCode and MCP Inspector against a real hub, with mocks of the
// model APIs on loopback. Not part of `npm test`: the clients are large and are installed into a cache folder first.
import { ensureBuilt } from './build.mjs';
import { checks } from './clients/checks.mjs';
import { installClients } from './clients/install.mjs';
import { openStage } from './clients/stage.mjs';
import { ensureInstalled } from './toolchain.mjs';

// Leaving through `exit` lets the stage end its hub, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

ensureInstalled();
await ensureBuilt();
const commands = installClients();
const chosen = process.argv[2]?.toLowerCase() ?? '';
let failed = 0;

for (const { name, run } of checks.filter((check) => check.name.toLowerCase().includes(chosen))) {
  const stage = await openStage(commands);
  const started = performance.now();
  try {
    await run(stage);
    console.log(`ok     ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.message}`);
  } finally {
    await stage.close();
  }
}

console.log(failed === 0 ? 'All clients are well.' : `${failed} failed.`);
process.exitCode = failed === 0 ? 0 : 1;
