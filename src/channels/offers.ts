/** What a platform offers people while they write: commands in its menu, and what fits an argument. Part of the seam; types only. */
import type { Address, Sender } from './address.ts';

/** A person is typing a command's argument and wants to be offered what fits. */
export interface SuggestQuery {
  address: Address;
  sender: Sender;
  isDirect: boolean;
  /** A command whose argument says `suggests`. */
  command: string;
  /** What was typed so far. */
  text: string;
}

export interface Suggestion {
  /** What the argument becomes; at most 100 characters. */
  value: string;
  /** For showing; at most 100 characters. */
  label: string;
}

export interface CommandSpec {
  name: string;
  description: string;
  /** What may be written after the command's name. */
  argument?: {
    name: string;
    description: string;
    suggests?: boolean;
    /** Source of a regular expression: other words make no argument, and so no command where goals may begin with its name. */
    pattern?: string;
  };
  /** What it is in other languages, by tag; for menus that show each person their own. */
  translations?: Readonly<Record<string, { description: string; argument?: string }>>;
}
