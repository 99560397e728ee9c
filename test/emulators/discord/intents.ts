/** Maps events to the intent that each requires. https://discord.com/developers/docs/events/gateway#list-of-intents */

const GUILDS = 1 << 0;
export const MESSAGE_CONTENT = 1 << 15;
/** GUILD_MEMBERS and GUILD_PRESENCES, which this application never has. */
export const NOT_GRANTED = (1 << 1) | (1 << 8);
/** The bits that are intents today. */
export const KNOWN = 0x03_31_ff_ff;

const PAIRS: [event: RegExp, guild: number, direct: number][] = [
  [/^MESSAGE_REACTION_/, 1 << 10, 1 << 13],
  [/^MESSAGE_/, 1 << 9, 1 << 12],
  [/^TYPING_START$/, 1 << 11, 1 << 14],
  [/^CHANNEL_PINS_UPDATE$/, GUILDS, 1 << 12],
  [/^GUILD_MEMBER_/, 1 << 1, 1 << 1],
  [/^(?:GUILD|CHANNEL|THREAD|STAGE)_/, GUILDS, GUILDS],
];

/** Returns the intent that a session needs for an event; 0 for events that are always sent. */
export function intentsFor(name: string, isDirect: boolean): number {
  const pair = PAIRS.find(([event]) => event.test(name));
  return pair ? pair[isDirect ? 2 : 1] : 0;
}
