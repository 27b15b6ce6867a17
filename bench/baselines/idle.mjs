// A bare node process that only stays alive.
console.log('idle');
setInterval(() => undefined, 1_000);
process.on('SIGTERM', () => process.exit(0));
