/** What a command is given when none of its own options are. */
export const NO_OPTIONS = { values: {}, switches: new Set<string>() };
