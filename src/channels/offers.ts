/**
 * Defines what a platform offers people while they type: its menu of commands, and suggestions for arguments. Part of
 * the seam; types only.
 */
import type { Address, Sender } from './address.ts';

/** A request for suggestions while a person types a command's argument. */
export interface SuggestQuery {
  address: Address;
  sender: Sender;
  isDirect: boolean;
  /** A command whose argument has `suggests`. */
  command: string;
  /** The text typed so far. */
  text: string;
}

export interface Suggestion {
  /** The argument's value; at most 100 characters. */
  value: string;
  /** The text to show; at most 100 characters. */
  label: string;
}

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
