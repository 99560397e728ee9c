/** What a button does. Types only. */

/** `command` runs as if typed; `say` is taken as a message. */
export type ButtonAction = { label: string } & ({ command: string; args: string } | { say: string });
