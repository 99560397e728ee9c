/** Defines what people may press or choose: buttons, commands as the menus of platforms show them, and suggestions. */

/**
 * A platform without buttons shows their labels by number and keeps their IDs in its message or in `cache`; an answer
 * by number is an event of the kind `button` at the address where the message is.
 */
export interface Button {
  /** Opaque random ID, looked up in our store; at most 32 characters. People may see it: it works where it was offered. */
  id: string;
  label: string;
  /** The question that pressing it decides. The button disappears once the question is decided, here or elsewhere. */
  decides?: string;
}

/** A command with its description; a platform shows it while people type. */
export interface CommandSpec {
  name: string;
  description: string;
  /** The text after the command's name. */
  argument?: {
    name: string;
    description: string;
    suggests?: boolean;
    /**
     * The source of a regular expression. Text that doesn't match isn't an argument; where goals may start with the
     * command's name, it isn't the command either.
     */
    pattern?: string;
  };
  /** Translations by language tag, for menus that show each person their own language. */
  translations?: Readonly<Record<string, { description: string; argument?: string }>>;
}

/** A value that is suggested while people type a command's argument. */
export interface Suggestion {
  /** The argument's value; at most 100 characters. */
  value: string;
  /** The text to show; at most 100 characters. */
  label: string;
}
