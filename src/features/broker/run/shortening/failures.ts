/** Lines that say what went wrong: no rule that shortens may lose one. */
export const FAILURE = /error|err!|exception|traceback|fatal|failure|failed|panic|✗|✘|❌|✖/i;
