/** Changes whose requests bear the same are one command of a person's. Stands alone: the page carries it. */
export const COMMAND_HEADER = 'holdfast-command';
