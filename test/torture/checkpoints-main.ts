// One plan as an argument, its report as a line: run where a disk may be mounted.
import { type CheckpointPlan, tortureCheckpoints } from './checkpoints.ts';

const report = await tortureCheckpoints(JSON.parse(process.argv[2]!) as CheckpointPlan);
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);
