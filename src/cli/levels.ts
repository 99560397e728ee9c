/** The levels of the log, the least first; pino numbers them 10, 20 and so on. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
