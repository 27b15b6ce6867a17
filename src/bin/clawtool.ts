import { launch } from './launch.ts';

/** What the gateway's document calls `clawtool serve …`. Every other command here is one of `holdfast`. */
launch('clawtool', async () => {
  const [command, ...rest] = process.argv.slice(2);
  if (command !== undefined && command !== 'serve' && !command.startsWith('-')) {
    process.stderr.write(
      `clawtool: there is no ${command} here, only serve. Everything else is \`holdfast\`.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const { main } = await import('./holdfast-main.ts');
  const isAsked = command === '--version' || command === '-V';
  const args = isAsked ? [command] : ['serve', ...(command === 'serve' ? rest : ['--help'])];
  await main(args, undefined, 'clawtool');
});
