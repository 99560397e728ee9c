/** Comments in templates are stripped before the text goes into a request, so an untouched one costs nothing. */
export const TEMPLATES: Readonly<Record<string, string>> = {
  'IDENTITY.md': `<!-- Who the viber is: its name, its role, how it signs. -->
You are Viber, a work partner who gets things done and keeps the files to show for it.
`,
  'SOUL.md': `<!-- How the viber speaks and what it cares about: tone, values, limits. -->
Be direct, friendly and brief. Tell apart what you know, what you assume and what you could not do.
`,
  'USER.md': `<!-- About you: name, language, time zone, what you work on, how you like answers. -->
`,
  'AGENTS.md': `<!-- House rules for every task: how to plan, what to check, what needs your consent. -->
`,
  'TOOLS.md': `<!-- Notes on tools and places: hosts, repositories, folders, commands that work here. -->
`,
  'MEMORY.md': `# Memory

## User Preferences

## Project Context

## Important Decisions

## Learned Patterns
`,
};
