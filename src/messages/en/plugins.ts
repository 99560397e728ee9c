/** Why a plugin that the configuration names isn't loaded. */
export const plugins = {
  cannotLoad: "can't load {source}: {why}",
  noFile: "this file or folder doesn't exist",
  noPackage: 'there is no such package beside the gateway or in node_modules of the home; a path begins with ./ or /',
  noEntry: '{folder} has none of these files: {names}',
  late: 'it is still not loaded after {seconds, plural, one {# second} other {# seconds}}',
  exits: 'it ends the process',
  noExport: "it doesn't export a {what}: expected one as its default export",
  name: 'its name must consist of a-z, 0-9 and - (at most 32 characters)',
  section: 'it is the channel {name}, so its section must be channels.{name}',
  builtIn: '{name} is a built-in channel',
  pattern: 'its accountPattern must be the source of a regular expression',
  lacks: 'it lacks {what}',
  lateSettings: 'its settings are still not there after {seconds, plural, one {# second} other {# seconds}}',
  schema: "its settings aren't a zod schema",
  taken: 'there is already a feature named {name}',
} as const;
