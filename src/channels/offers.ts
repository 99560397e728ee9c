/** Defines a command as the menus of platforms show it. */

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
